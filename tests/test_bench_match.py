"""Matches between programs that behave and programs that do not."""

import contextlib
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.game import GameRecord, GameSpec, play_game
from bench.match import summarise_records
from bench.players import Control, Player, make_player
from bench.process import ProcessPlayer
from bench.records import ResultsFile, read_results, to_pgn, to_psq
from bench.reference import BLACK, RENJU, WHITE, Cell
from bench.runner import Progress

# Plays the first empty cell row by row, or misbehaves at its second move as its argument says.
FAKE = r"""
import os, sys, time
mode = sys.argv[1]
size, stones, asked = (15, 15), set(), 0
def say(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
def move():
    global asked
    asked += 1
    w, h = size
    cells = [(x, y) for y in range(h) for x in range(w) if (x, y) not in stones]
    cell = cells[-1] if mode == "last" else cells[0]
    if asked == 2:
        if mode == "crash": os._exit(3)
        if mode == "signal": os.kill(os.getpid(), 9)
        if mode == "hang": time.sleep(60)
        if mode == "garbage": return say("certainly, my move is e4")
        if mode == "error": return say("ERROR out of ideas")
        if mode == "unknown": return say("UNKNOWN command")
        if mode == "occupied": return say("%d,%d" % next(iter(stones)))
        if mode == "outside": return say("%d,%d" % (w, 0))
        if mode == "negative": return say("-1,3")
        if mode == "flood":
            while True: say("MESSAGE still thinking")
        if mode == "endless":
            while True: sys.stdout.write("7" * 4096)
        if mode == "binary":
            sys.stdout.buffer.write(b"\xff\xfe\x00\n"); sys.stdout.flush(); return
        if mode == "close":
            os.close(1); time.sleep(60)
    stones.add(cell)
    say("MESSAGE about to play")
    say("%d,%d" % cell)
while True:
    line = sys.stdin.readline()
    if not line: break
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        if mode == "mute": continue
        if mode == "refuse": say("ERROR unsupported size"); continue
        if mode == "late-ok": time.sleep(0.3)
        size, stones, asked = (int(rest), int(rest)), set(), 0
        say("OK")
    elif word == "RECTSTART":
        size, stones, asked = tuple(map(int, rest.split(","))), set(), 0
        say("OK")
    elif word == "BEGIN": move()
    elif word == "TURN":
        stones.add(tuple(map(int, rest.split(",")))); move()
    elif word == "BOARD":
        stones = set()
        while (line := sys.stdin.readline().strip()) != "DONE":
            stones.add(tuple(map(int, line.split(",")[:2])))
        move()
    elif word == "END" and mode != "immortal": break
"""


@pytest.fixture
def fake(tmp_path: Path):
    script = tmp_path / "fake brain.py"
    script.write_text(FAKE)
    return lambda mode: f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {mode}"


def spec(rule: int = 0, width: int = 15, height: int = 15, opening: tuple[Cell, ...] = ()) -> GameSpec:
    return GameSpec(
        "g", "p", "first", "second", rule, width, height, opening, Control(turn_ms=300, tolerance_ms=200)
    )


def play(black: str, white: str, game: GameSpec) -> GameRecord:
    players: dict[int, Player] = {BLACK: make_player(black, 0), WHITE: make_player(white, 1)}
    try:
        return play_game(game, players)
    finally:
        for player in players.values():
            player.close()


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("crash", "crash"),
        ("signal", "crash"),
        ("hang", "timeout"),
        ("garbage", "garbage"),
        ("error", "error"),
        ("unknown", "error"),
        ("occupied", "illegal"),
        ("outside", "illegal"),
        ("negative", "garbage"),
        ("flood", "timeout"),
        ("endless", "garbage"),
        ("binary", "garbage"),
        ("close", "crash"),
        ("refuse", "error"),
    ],
)
def test_a_program_that_misbehaves_loses_and_plays_the_next_game(fake, mode: str, reason: str) -> None:
    bad = make_player(fake(mode), 0)
    good = make_player(fake("good"), 1)
    try:
        for _ in range(2):
            record = play_game(spec(), {BLACK: bad, WHITE: good})
            assert (record.result, record.reason) == ("0-1", reason)
            assert record.note
            assert len(record.moves) < 4
    finally:
        bad.close()
        good.close()


def test_a_program_that_cannot_be_started_loses(fake) -> None:
    record = play("/no/such/program", fake("good"), spec())
    assert (record.result, record.reason) == ("0-1", "crash")


def test_a_program_that_never_says_ok_loses(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.process.START_SECONDS", 0.3)
    record = play(fake("good"), fake("mute"), spec())
    assert (record.result, record.reason) == ("1-0", "timeout")


def test_a_program_that_ignores_end_is_killed(fake) -> None:
    player = ProcessPlayer(fake("immortal"))
    player.new_game(15, 15, 0, Control())
    child = player._child
    assert child is not None
    player.close()
    assert child.poll() is not None


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


def test_a_killed_match_resumes_with_the_same_totals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(out: Path, games: int) -> str:
        command = ["match", "@random", "@random", "--size", "7", "--rule", "standard"]
        assert main([*command, "--games", str(games), "--out", str(out)]) == 0
        return capsys.readouterr().out

    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    run(whole, 8)
    # A kill in the middle of a write leaves half a line behind.
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    run(cut, 8)
    names = [json.loads(line)["name"] for line in cut.read_text().splitlines()[1:]]
    assert sorted(names) == sorted(f"{pair:04d}{game}" for pair in (1, 2, 3, 4) for game in "ab")
    assert cut.read_bytes().splitlines(keepends=True)[:4] == lines[:4]
    untouched = cut.read_bytes()
    assert run(cut, 8) == run(cut, 8)
    assert cut.read_bytes() == untouched


def test_a_results_file_of_another_match_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ResultsFile(path, {"rule": 0}).close()
    with pytest.raises(ValueError, match="another run"):
        ResultsFile(path, {"rule": 1})


def test_a_match_goes_on_when_one_side_keeps_crashing(fake, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    arguments = ["match", fake("crash"), fake("good"), "--games", "6", "--out", str(out)]
    assert main([*arguments, "--psq", str(tmp_path / "psq"), "--pgn", str(tmp_path / "games.pgn")]) == 0
    _, records = read_results(out)
    assert len(records) == 6
    assert {record.reason for record in records} == {"crash"}
    assert summarise_records(records, "B").score == 1.0
    assert len(list((tmp_path / "psq").iterdir())) == 6
    assert (tmp_path / "games.pgn").read_text().count("[Event ") == 6


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
    assert text.strip().endswith("1. h8 a15 0-1")


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


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for left-over processes in /proc")
def test_a_killed_match_leaves_no_process_behind_and_can_be_resumed(fake, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    command = ["match", fake("good"), fake("last"), "--games", "5000", "--size", "9", "--out", str(out)]
    run = subprocess.Popen([sys.executable, "-m", "bench", *command], stderr=subprocess.DEVNULL)
    patience = time.monotonic() + 60
    while not out.exists() or out.read_bytes().count(b"\n") < 5:
        assert run.poll() is None and time.monotonic() < patience
        time.sleep(0.05)
    run.kill()
    run.wait()
    marker = str(tmp_path).encode()

    def left_over() -> list[str]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if marker in (entry / "cmdline").read_bytes():
                        found.append(entry.name)
        return found

    while left_over() and time.monotonic() < patience:
        time.sleep(0.1)
    assert left_over() == []
    done = len(out.read_text().splitlines()) - 1
    assert main([*command[:4], str(done + 3), *command[5:]]) == 0
    _, records = read_results(out)
    assert len(records) == done + 3 == len({record.name for record in records})


def test_a_match_is_not_resumed_with_other_openings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openings, out = tmp_path / "openings.txt", tmp_path / "m.jsonl"
    command = ["match", "@random", "@random", "--size", "9", "--games", "2", "--out", str(out)]
    for cells, code in (("e5 d4", 0), ("e5 d4", 0), ("e5 f6", 2)):
        openings.write_text(f"mine 9x9 {cells}\n")
        assert main([*command, "--openings", str(openings)]) == code
    assert "holds another run" in capsys.readouterr().err


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
