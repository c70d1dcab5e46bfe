"""The round robin: schedule, ratings, tables, and a run that is resumed."""

import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from bench import ladder
from bench.__main__ import main
from bench.game import GameRecord
from bench.ladder import RENGA, Plan, league_points, markdown, schedule, score_against
from bench.openings import Opening
from bench.ratings import rate
from bench.stats import score_of_elo


def record(black: str, white: str, result: str, reason: str = "five") -> GameRecord:
    return GameRecord("g", "p", black, white, 0, 15, 15, 0, [], [], result, reason)


def test_every_pair_meets_as_often_as_planned_with_both_colours() -> None:
    plan = Plan(games=4, turn_ms=200, renga_games=6, renga_turn_ms=1000)
    games = list(schedule([RENGA, "S0", "S3"], plan, [Opening(15, 15, ())], 0))
    count = Counter(frozenset((game.black, game.white)) for game in games)
    assert count == {frozenset((RENGA, "S0")): 6, frozenset((RENGA, "S3")): 6, frozenset(("S0", "S3")): 4}
    assert Counter(game.black for game in games)["S0"] == Counter(game.white for game in games)["S0"]
    assert {game.control.turn_ms for game in games if RENGA in (game.black, game.white)} == {1000}
    assert len({game.name for game in games}) == len(games)


def test_one_encounter_or_those_of_one_player_can_be_chosen() -> None:
    plan = Plan(games=4, turn_ms=200, renga_games=6, renga_turn_ms=1000)
    players, openings = [RENGA, "S0", "S3"], [Opening(15, 15, ())]
    everything = list(schedule(players, plan, openings, 0))
    of_s3 = list(schedule(players, plan, openings, 0, ["S3"]))
    assert of_s3 == [game for game in everything if "S3" in (game.black, game.white)]
    one = list(schedule(players, plan, openings, 0, ["S3", RENGA]))
    assert len(one) == 6 and {frozenset((game.black, game.white)) for game in one} == {frozenset((RENGA, "S3"))}


def test_ratings_recover_the_strengths_behind_expected_scores() -> None:
    truth = {"a": 200.0, "b": 0.0, "c": -50.0, "d": -150.0}
    scores = {(p, q): (400 * score_of_elo(truth[p] - truth[q]), 400) for p, q in combinations(truth, 2)}
    found = rate(list(truth), scores)
    for name, elo in truth.items():
        assert found[name][0] == pytest.approx(elo, abs=3)
        assert 10 < found[name][1] < 40


def test_a_clean_sweep_gets_a_finite_rating() -> None:
    found = rate(["a", "b"], {("a", "b"): (20.0, 20)})
    assert 400 < found["a"][0] - found["b"][0] < 900


def test_points_and_cross_scores() -> None:
    records = [record("x", "y", "1-0"), record("y", "x", "1/2-1/2"), record("y", "x", "1-0", "crash")]
    assert league_points(records, "x") == 4 and league_points(records, "y") == 4
    met = ladder.meetings(records)
    assert score_against(met, "x", "y") == (1.5, 3) == score_against(met, "y", "x")
    table = markdown(records, ["x", "y"])
    assert table.count("\n") == 4 and "| x |" in table


def test_a_small_ladder_runs_resumes_and_draws_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "PLAYERS", {"one": "@random", "two": "@random", "three": "@random"})
    arguments = ["ladder", "--size", "9", "--games", "2", "--out", str(tmp_path / "l.jsonl")]
    arguments += ["--svg", str(tmp_path / "l.svg"), "--players", "one", "two", "three"]
    assert main(arguments) == 0
    table = capsys.readouterr().out.partition("| # |")[2]
    assert main(arguments) == 0
    out = capsys.readouterr()
    assert "6 of 6 games are played already" in out.err
    assert out.out.partition("| # |")[2] == table
    assert ElementTree.parse(tmp_path / "l.svg").getroot().tag.endswith("svg")


def test_the_s4_tournament_is_two_games_each_on_an_empty_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "PLAYERS", {"one": "@random", "two": "@random"})
    arguments = ["ladder", "--format", "s4", "--out", str(tmp_path / "l.jsonl"), "--players", "one", "two"]
    assert main(arguments) == 0
    assert "draw_after=60" in capsys.readouterr().out


def test_the_report_holds_every_result_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "PLAYERS", {RENGA: "@random", "S0": "@random"})
    runs, docs = tmp_path / "runs", tmp_path / "docs"
    assert main(["report", "--runs", str(runs), "--docs", str(docs)]) == 0
    assert "## Ladder" not in (docs / "strength.md").read_text()
    arguments = ["ladder", "--size", "9", "--renga-games", "4", "--players", RENGA, "S0"]
    assert main([*arguments, "--out", str(runs / "ladder.jsonl")]) == 0
    assert main(["speed", "--only", "static", "--repeats", "1", "--json", str(docs / "results" / "speed.json")]) == 0
    puzzles = tmp_path / "no_vcf.tsv"
    puzzles.write_text("#id\tside\tsize\tblack\twhite\nnone\tB\t15\th8\ta1\n")
    assert main(["tactics", str(puzzles), "--json", str(docs / "results" / "tactics-x.json")]) == 0
    match = ["match", "@random", "@rollout", "--size", "7", "--games", "2", "--nodes", "50"]
    assert main([*match, "--out", str(runs / "match-x.jsonl")]) == 0
    assert main(["report", "--runs", str(runs), "--docs", str(docs)]) == 0
    text = (docs / "strength.md").read_text()
    assert "4 games, freestyle 9x9" in text and "no_vcf.tsv" in text and "static question" in text
    assert "| `@random` | `@rollout` | freestyle 7x7 | 50 nodes | 2 |" in text
    assert (docs / "ladder.svg").exists()
