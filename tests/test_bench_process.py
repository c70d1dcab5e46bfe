"""Programs that behave and programs that do not: they lose, they are ended, and nothing is left of them."""

import contextlib
import multiprocessing
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import python_after

from bench.__main__ import main
from bench.game import GameRecord, GameSpec, play_game
from bench.match import paired_games
from bench.openings import Opening
from bench.players import UNLIMITED_MS, Control, Player, PlayerFailure, make_player
from bench.process import ProcessPlayer, launch_no_more
from bench.records import ResultsFile, read_results
from bench.reference import BLACK, WHITE, Cell
from bench.runner import _interrupts_held, available_cores, pin_to, run_games

# Plays the first empty cell row by row, or misbehaves at its second move as its argument says. A second argument is
# the file that its process number goes to at every START.
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
    if not line and mode == "stubborn": time.sleep(600)
    if not line: break
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        if mode == "mute": continue
        if mode == "refuse": say("ERROR unsupported size"); continue
        if mode == "late-ok": time.sleep(0.3)
        if len(sys.argv) > 2: open(sys.argv[2], "a").write("%d\n" % os.getpid())
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
    elif word == "END" and mode not in ("immortal", "stubborn"): break
"""


def fake_brain(folder: Path) -> Callable[[str], str]:
    """The command line of the program above in one of its modes."""
    script = folder / "fake brain.py"
    script.write_text(FAKE)
    return lambda mode: f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {mode}"


def spec(
    rule: int = 0, width: int = 15, height: int = 15, opening: tuple[Cell, ...] = (), tolerance_ms: int = 60_000
) -> GameSpec:
    control = Control(turn_ms=300, tolerance_ms=tolerance_ms)
    return GameSpec("g", "p", "first", "second", rule, width, height, opening, control)


def play(black: str, white: str, game: GameSpec) -> GameRecord:
    players: dict[int, Player] = {BLACK: make_player(black, 0), WHITE: make_player(white, 1)}
    try:
        return play_game(game, players)
    finally:
        for player in players.values():
            player.close()


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], str]:
    return fake_brain(tmp_path)


@pytest.fixture
def wrapped(fake, tmp_path: Path):
    """The same program behind a shell script that stays its parent."""
    script = tmp_path / "wrapper.sh"
    script.write_text('#!/bin/sh\n"$@"\nexit $?\n')
    script.chmod(0o755)
    return lambda mode: f"{shlex.quote(str(script))} {fake(mode)}"


@pytest.fixture
def left_over(tmp_path: Path) -> Iterator[Callable[[float], list[int]]]:
    """Processes that name this test's folder and are still there after some seconds; in the end they are killed."""
    if not Path("/proc").exists():
        pytest.skip("looks for left-over processes in /proc")
    marker = str(tmp_path).encode()

    def running() -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if marker in (entry / "cmdline").read_bytes():
                        found.append(int(entry.name))
        return found

    def after(seconds: float) -> list[int]:
        patience = time.monotonic() + seconds
        while running() and time.monotonic() < patience:
            time.sleep(0.05)
        return running()

    yield after
    for pid in running():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


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
            game = spec(tolerance_ms=700) if reason == "timeout" else spec()
            record = play_game(game, {BLACK: bad, WHITE: good})
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
    record = play("@random", fake("mute"), spec())
    assert (record.result, record.reason) == ("1-0", "timeout")


def test_no_program_is_started_when_the_run_is_over(fake, left_over, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.process._over", False)
    launch_no_more()
    with pytest.raises(PlayerFailure, match="the run is over"):
        ProcessPlayer(fake("good")).new_game(15, 15, 0, Control())
    assert left_over(0) == []


def test_a_program_that_ignores_end_is_killed(fake) -> None:
    player = ProcessPlayer(fake("immortal"))
    player.new_game(15, 15, 0, Control())
    child = player._child
    assert child is not None
    player.close()
    assert child.poll() is not None


def test_a_wrapper_that_is_closed_leaves_no_program_behind(wrapped, left_over) -> None:
    player = ProcessPlayer(wrapped("stubborn"))
    player.new_game(15, 15, 0, Control())
    assert len(left_over(0)) == 2
    player.close()
    assert left_over(10) == []


def test_a_wrapper_that_failed_leaves_no_program_behind(wrapped, left_over) -> None:
    player = ProcessPlayer(wrapped("hang"))
    player.new_game(15, 15, 0, Control(turn_ms=10_000))
    cell = player.choose([], UNLIMITED_MS)
    player._control = Control(turn_ms=100, tolerance_ms=100)
    with pytest.raises(PlayerFailure, match="no answer in time"):
        player.choose([cell, (7, 7)], UNLIMITED_MS)
    assert left_over(10) == []


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system binds no process to a core")
def test_a_program_stays_on_the_core_of_its_worker(wrapped) -> None:
    before, player = os.sched_getaffinity(0), ProcessPlayer(wrapped("good"))
    try:
        pin_to(min(before))
        player.new_game(15, 15, 0, Control())
        assert player._child is not None
        assert os.sched_getaffinity(player._child.pid) == {min(before)}
    finally:
        os.sched_setaffinity(0, before)
        player.close()


def two_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is one core only."""
    core = available_cores()[0]
    monkeypatch.setattr("bench.runner.available_cores", lambda: [core, core])


def test_two_workers_play_every_game_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two_workers(monkeypatch)
    games = list(paired_games("A", "B", [Opening(9, 9, ())], 0, Control(), 12))
    results, workers = ResultsFile(tmp_path / "m.jsonl", {}), []

    def on_game(record: GameRecord) -> bool:
        workers.append(len(multiprocessing.active_children()))
        return True

    run_games(games, {"A": "@random", "B": "@random"}, results, workers=2, on_game=on_game)
    assert sorted(record.name for record in results.records) == [game.name for game in games]
    assert set(workers) == {2}


def test_a_crowded_run_has_more_workers_than_cores_and_binds_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.runner.available_cores", lambda: [available_cores()[0]])
    games = paired_games("A", "B", [Opening(9, 9, ())], 0, Control(), 6)
    results, workers = ResultsFile(tmp_path / "m.jsonl", {}), []

    def on_game(record: GameRecord) -> bool:
        own = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
        for worker in multiprocessing.active_children():
            assert worker.pid is not None
            workers.append(own is None or os.sched_getaffinity(worker.pid) == own)
        return True

    run_games(games, {"A": "@random", "B": "@random"}, results, workers=3, on_game=on_game, crowded=True)
    assert len(results.records) == 6
    assert len(workers) == 6 * 3 and all(workers)


@pytest.mark.parametrize("stopped", [False, True])
def test_every_worker_ends_its_programs(
    stopped: bool, wrapped, left_over, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_workers(monkeypatch)
    games = paired_games("A", "B", [Opening(9, 9, ())], 0, Control(turn_ms=10_000), 6)
    results = ResultsFile(tmp_path / "m.jsonl", {})

    def on_game(record: GameRecord) -> bool:
        assert not stopped
        return True

    with pytest.raises(AssertionError) if stopped else contextlib.nullcontext():
        run_games(games, {"A": wrapped("stubborn"), "B": wrapped("last")}, results, workers=2, on_game=on_game)
    assert left_over(10) == []


def test_an_interrupt_is_raised_only_where_it_is_asked_for() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with _interrupts_held() as heed_interrupt:
            heed_interrupt()
            signal.raise_signal(signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                heed_interrupt()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("ending", ["SIGKILL", "SIGINT", "SIGTERM"])
def test_a_match_that_is_ended_leaves_no_process_behind_and_can_be_resumed(
    ending: str, wrapped, left_over, tmp_path: Path
) -> None:
    out, told = tmp_path / "m.jsonl", tmp_path / "told"
    command = ["match", wrapped("stubborn"), wrapped("last"), "--games", "5000", "--size", "9", "--out", str(out)]
    with told.open("w") as stdout:
        run = subprocess.Popen(
            # Whoever runs the tests may ignore interrupts.
            python_after("import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)", "-m", "bench", *command),
            stdout=stdout, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    patience = time.monotonic() + 60
    while not out.exists() or out.read_bytes().count(b"\n") < 5:
        assert run.poll() is None and time.monotonic() < patience
        time.sleep(0.05)
    if ending == "SIGKILL":
        run.kill()
    else:
        os.killpg(run.pid, getattr(signal, ending))  # the whole group, as a terminal does
    run.wait(30)
    assert left_over(30) == []
    done = len(read_results(out)[1])
    if ending == "SIGINT":
        assert run.returncode == 130
        assert f"of {done} (" in told.read_text()
    assert main([*command[:4], str(done + 3), *command[5:]]) == 0
    _, records = read_results(out)
    assert len(records) == done + 3 == len({record.name for record in records})


@pytest.mark.full
def test_the_runner_loses_none_of_a_thousand_fast_games(fake: Callable[..., str], tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    arguments = ["match", fake("good"), "@random", "--games", "1000", "--size", "9", "--workers", "2"]
    assert main([*arguments, "--out", str(out)]) == 0
    _, records = read_results(out)
    assert len({record.name for record in records}) == len(records) == 1000
    assert {record.reason for record in records} <= {"five", "full"}
