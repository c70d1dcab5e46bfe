"""Matches: the referee, the clock, the table, and what is written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from test_bench_process import fake_brain, play, spec

from bench.__main__ import main
from bench.game import GameRecord, GameSpec, play_game
from bench.match import summarise_records, table
from bench.players import UNLIMITED_MS, Control
from bench.records import read_results, to_pgn, to_psq
from bench.reference import BLACK, RENJU, WHITE, Cell
from bench.runner import Progress


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], str]:
    return fake_brain(tmp_path)


def test_two_good_programs_finish_by_five(fake) -> None:
    record = play(fake("good"), fake("last"), spec())
    assert (record.result, record.reason) == ("1-0", "five")
    assert record.moves[::2] == [(x, 0) for x in range(5)]
    assert len(record.ms) == len(record.moves)


def test_openings_and_rectangles_reach_both_programs(fake) -> None:
    opening = ((4, 3), (5, 3), (4, 2))
    record = play(fake("good"), fake("last"), spec(width=9, height=6, opening=opening))
    assert record.moves[:3] == list(opening)
    assert record.opening == 3
    assert record.moves[3] == (8, 5)
    assert record.result == "0-1" and record.reason == "five"


class Scripted:
    """Plays given cells."""

    def __init__(self, cells: list[Cell]) -> None:
        self._cells = iter(cells)

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        pass

    def choose(self, moves, left_ms: int) -> Cell:
        return next(self._cells)

    def close(self) -> None:
        pass


class Slow(Scripted):
    """Spends the same time on every move, on the test's own clock, and remembers what was left."""

    def __init__(self, cells: list[Cell], ms: int, clock: list[float]) -> None:
        super().__init__(cells)
        self._ms, self._clock = ms, clock
        self.left: list[int] = []

    def choose(self, moves, left_ms: int) -> Cell:
        self.left.append(left_ms)
        self._clock[0] += self._ms / 1000
        return super().choose(moves, left_ms)


@pytest.mark.parametrize("match_ms", [1000, 0])
def test_a_player_loses_on_the_match_clock_where_there_is_one(
    match_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("bench.game.time.monotonic", lambda: clock[0])
    slow = Slow([(2 * x, 0) for x in range(6)], 300, clock)
    quick = Slow([(2 * x, 9) for x in range(6)], 10, clock)
    control = Control(turn_ms=300, match_ms=match_ms, tolerance_ms=100)
    record = play_game(
        GameSpec("g", "p", "first", "second", 0, 15, 15, (), control, draw_after=10), {BLACK: slow, WHITE: quick}
    )
    if match_ms:
        assert (record.result, record.reason, record.note) == ("0-1", "timeout", "300 ms of 200")
        assert (slow.left, quick.left) == ([1000, 700, 400, 100], [1000, 990, 980])
    else:
        assert record.reason == "draw-after"
        assert {*slow.left, *quick.left} == {UNLIMITED_MS}
    assert record.ms[:2] == [300, 10]


def test_a_renju_foul_loses_for_black_only() -> None:
    # Three and three meet on (7, 7).
    black = [(5, 7), (6, 7), (7, 5), (7, 6), (7, 7)]
    white = [(0, 0), (0, 2), (0, 4), (0, 6)]
    record = play_game(spec(RENJU), {BLACK: Scripted(black), WHITE: Scripted(white)})
    assert (record.result, record.reason) == ("0-1", "foul")
    corner = [(14, 14), (12, 14), (10, 14), (8, 14), (14, 0), (12, 0), (10, 0)]
    record = play_game(spec(RENJU), {BLACK: Scripted(corner), WHITE: Scripted([*black, (4, 7), (3, 7)])})
    assert record.reason != "foul" and record.result == "0-1"


def test_a_full_board_is_a_draw_and_so_is_the_agreed_length() -> None:
    cells = [(x, y) for y in (0, 2, 4, 1, 3) for x in range(5)]
    order = sorted(cells, key=lambda c: ((c[0] + 2 * c[1]) % 4 < 2, c))
    dark = [c for c in order if (c[0] + 2 * c[1]) % 4 < 2]
    light = [c for c in order if c not in dark]
    while len(dark) > len(light) + 1:
        light.append(dark.pop())
    record = play_game(spec(width=5, height=5), {BLACK: Scripted(dark), WHITE: Scripted(light)})
    assert (record.result, record.reason) == ("1/2-1/2", "full")
    short = GameSpec("g", "p", "a", "b", 0, 15, 15, (), Control(), draw_after=4)
    row = {BLACK: Scripted([(0, 0), (1, 0)]), WHITE: Scripted([(5, 5), (6, 6)])}
    assert play_game(short, row).reason == "draw-after"


def test_a_match_goes_on_when_one_side_keeps_crashing(fake, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    arguments = ["match", fake("crash"), fake("good"), "--games", "6", "--out", str(out)]
    assert main([*arguments, "--psq", str(tmp_path / "psq"), "--pgn", str(tmp_path / "new" / "games.pgn")]) == 0
    _, records = read_results(out)
    assert len(records) == 6
    assert {record.reason for record in records} == {"crash"}
    assert summarise_records(records, "B").score == 1.0
    assert len(list((tmp_path / "psq").iterdir())) == 6
    assert (tmp_path / "new" / "games.pgn").read_text().count("[Event ") == 6


def test_the_sequential_test_stops_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str], fake) -> None:
    out = tmp_path / "m.jsonl"
    arguments = ["match", fake("crash"), fake("good"), "--games", "400", "--out", str(out)]
    assert main([*arguments, "--sprt", "0", "300"]) == 0
    assert "reject" in capsys.readouterr().out
    assert len(read_results(out)[1]) < 100


def test_records_are_written_in_both_formats() -> None:
    record = GameRecord(
        "1a", "1", "us", "them", 0, 15, 15, 1, [(7, 7), (0, 14)], [0, 12], "0-1", "crash", "gone"
    )
    assert to_psq(record).splitlines() == [
        "Piskvorky 15x15, 11:11, 0",
        "8,8,0",
        "1,15,12",
        "us",
        "them",
        "-1",
        "2,freestyle",
    ]
    text = to_pgn(record)
    assert '[Black "us"]' in text and '[Termination "crash: gone"]' in text
    assert text.strip().endswith("1. h8 a1 0-1")


@pytest.mark.parametrize(
    "wrong", [["@nobody", "@random"], ["@random", "git:no-such-revision"], ["", "@random"]]
)
def test_a_player_nobody_knows_is_refused_before_anything_is_written(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", *wrong, "--out", str(tmp_path / "m.jsonl")]) == 2
    assert capsys.readouterr().err.startswith("bench match: ")
    assert not (tmp_path / "m.jsonl").exists()


def test_impossible_sizes_and_rules_are_refused() -> None:
    for wrong in (["--size", "99"], ["--size", "4x9"], ["--rule", "chess"]):
        with pytest.raises(SystemExit):
            main(["match", "@random", "@random", *wrong])


@pytest.mark.parametrize(("options", "processes"), [([], 1), (["--fresh"], 3)])
def test_fresh_means_a_new_process_for_every_game(options: list[str], processes: int, fake, tmp_path: Path) -> None:
    started = tmp_path / "started"
    match = ["match", fake(f"good {started}"), fake("last"), "--size", "9", "--games", "3"]
    assert main([*match, *options, "--out", str(tmp_path / "m.jsonl")]) == 0
    numbers = started.read_text().split()
    assert (len(numbers), len(set(numbers))) == (3, processes)


@pytest.mark.parametrize(
    ("options", "turn_ms"), [([], 1000), (["--nodes", "9"], 600_000), (["--nodes", "9", "--turn-ms", "50"], 50)]
)
def test_a_limit_by_nodes_is_not_cut_by_time(options: list[str], turn_ms: int, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    assert main(["match", "@random", "@random", "--games", "0", "--out", str(out), *options]) == 0
    assert read_results(out)[0]["control"]["turn_ms"] == turn_ms


def test_the_table_names_the_revisions_where_there_are_several() -> None:
    def record(name: str, revision: str) -> GameRecord:
        return GameRecord(name, name, "A", "B", 0, 15, 15, 0, [], [], "1-0", "five", revision=revision)

    assert "revisions" not in table([record("1", "abc"), record("2", "abc")], "A", "B", None)
    assert "revisions: abc, def" in table([record("1", "def"), record("2", "abc")], "A", "B", None)


def test_progress_reckons_the_time_left_by_the_turns_of_the_games(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("bench.runner.time.monotonic", lambda: now[0])
    turns = {"1a": 200, "2a": 1000}
    todo = [GameSpec(name, name, "us", "them", 0, 15, 15, (), Control(turn_ms=ms)) for name, ms in turns.items()]
    progress = Progress(3, todo)
    now[0] = 60.0
    progress.tell(GameRecord("1a", "1", "us", "them", 0, 15, 15, 0, [], [], "1-0", "five"))
    assert capsys.readouterr().err == "[2/3, 0:05:00 left] 1a us-them 1-0 five\n"
    now[0] = 61.0
    progress.tell(GameRecord("2a", "2", "us", "them", 0, 15, 15, 0, [], [], "1-0", "five"))
    assert capsys.readouterr().err == ""
