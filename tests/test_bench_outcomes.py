"""What the repository keeps of a run: the same totals from a letter per game, and a run that goes on from them."""

from pathlib import Path

import pytest

from bench import ladder
from bench.__main__ import main
from bench.game import FAULTS, GameRecord
from bench.match import faults_of, summarise_records
from bench.outcomes import condense, expand, keep, restore
from bench.records import ResultsFile, read_results

HEADER = {"rule": 0, "size": [15, 15]}


def record(number: int, game: str, result: str, reason: str = "five", prefix: str = "A-B-") -> GameRecord:
    black, white = ("A", "B") if game == "a" else ("B", "A")
    pair = f"{prefix}{number:04d}"
    return GameRecord(f"{pair}{game}", pair, black, white, 0, 15, 15, 0, [(7, 7)], [1], result, reason, revision="abc")


GAMES = [
    record(1, "a", "1-0"),
    record(1, "b", "1-0"),
    record(3, "b", "1/2-1/2", "full"),
    record(2, "a", "0-1", "crash"),
    record(2, "b", "0-1", "timeout"),
]


def test_each_fault_has_a_letter_of_its_own() -> None:
    assert len({reason[0].upper() for reason in FAULTS} | set("WDL")) == len(FAULTS) + 3


def test_a_game_is_a_letter_from_the_first_players_view() -> None:
    data = condense(HEADER, GAMES)
    assert data["games"] == [{"prefix": "A-B-", "first": "A", "second": "B", "outcomes": "WLcT.D"}]
    assert data["revisions"] == ["abc"]


def test_totals_pairs_and_faults_come_back() -> None:
    back = expand(condense(HEADER, GAMES))
    assert {game.name for game in back} == {game.name for game in GAMES}
    assert ladder.markdown(back, ["A", "B"]) == ladder.markdown(GAMES, ["A", "B"])
    assert summarise_records(back, "A") == summarise_records(GAMES, "A")
    for player in "AB":
        assert faults_of(back, player) == faults_of(GAMES, player)


def test_games_of_a_lost_file_and_new_ones_are_kept_together(tmp_path: Path) -> None:
    kept, run = tmp_path / "results" / "ladder.json", tmp_path / "runs" / "ladder.jsonl"
    for games in (GAMES[:3], GAMES[2:]):
        results = ResultsFile(run, HEADER)
        for game in games:
            results.append(game)
        results.close()
        keep(run, kept)
        run.unlink()
    restore(kept, run)
    header, back = read_results(run)
    assert header == HEADER
    assert summarise_records(back, "A") == summarise_records(GAMES, "A")


def test_results_of_another_run_are_not_mixed_in(tmp_path: Path) -> None:
    kept, run = tmp_path / "m.json", tmp_path / "m.jsonl"
    ResultsFile(run, HEADER).close()
    keep(run, kept)
    run.unlink()
    ResultsFile(run, {**HEADER, "rule": 1}).close()
    with pytest.raises(ValueError, match="another run"):
        keep(run, kept)


def test_results_can_be_read_after_a_kill_in_the_middle_of_a_line(tmp_path: Path) -> None:
    run = tmp_path / "m.jsonl"
    results = ResultsFile(run, HEADER)
    results.append(GAMES[0])
    results.close()
    run.write_bytes(run.read_bytes() + b'{"name": "A-B-00')
    assert read_results(run) == (HEADER, GAMES[:1])


def test_a_ladder_whose_file_is_lost_goes_on_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "PLAYERS", {ladder.RENGA: "@random", "S0": "@random", "S1": "@random"})
    run = tmp_path / "runs" / "ladder.jsonl"
    report = ["report", "--runs", str(run.parent), "--docs", str(tmp_path / "docs")]
    play = ["ladder", "--size", "9", "--games", "2", "--renga-games", "4", "--out", str(run)]
    play += ["--players", ladder.RENGA, "S0", "S1"]
    assert main([*play, "--only", "S0", ladder.RENGA]) == 0
    assert main(report) == 0
    run.unlink()
    assert main(report) == 0
    assert main(play) == 0
    assert "4 of 10 games are played already" in capsys.readouterr().err
    assert main(report) == 0
    page = (tmp_path / "docs" / "strength.md").read_text()
    assert "10 games, freestyle 9x9" in page
    assert (tmp_path / "docs" / "ladder.svg").exists()
    run.unlink()
    assert main(report) == 0
    assert (tmp_path / "docs" / "strength.md").read_text() == page


def test_measuring_returns_the_worst_code_and_names_the_files_of_another_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, docs = tmp_path / "runs", tmp_path / "docs"
    steps = []

    def step(arguments: list[str]) -> int:
        steps.append(arguments[0])
        if "network" in arguments and "15" in arguments:
            return main(arguments)
        return 1 if arguments[0] == "speed" else 0

    ResultsFile(runs / "match-network-15.jsonl", {**HEADER, "engine": "another"}).close()
    monkeypatch.setenv("RENGA_DATA", str(tmp_path))
    monkeypatch.setattr("bench.__main__.main", step)
    monkeypatch.setattr("bench.report.compose", lambda results: "")
    assert main(["report", "--measure", "--runs", str(runs), "--docs", str(docs)]) == 2
    assert steps == ["speed", "match", "match", "ladder", "ladder"]
    told = capsys.readouterr().err
    assert 'engine was "another"' in told
    remove = f"remove {runs / 'match-network-15.jsonl'} and {docs / 'results' / 'match-network-15.json'}"
    assert remove in told and told.count("remove") == 1


def test_the_page_in_the_repository_is_made_of_the_results_beside_it() -> None:
    from bench.report import ROOT, compose

    assert (ROOT / "docs" / "strength.md").read_text() == compose(ROOT / "docs" / "results")
