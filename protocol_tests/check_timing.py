"""Clocks, suspended processes, idle CPU and memory limits: what a judge measures from outside."""

from __future__ import annotations

import os
import random
import time

from protocol_tests.check_positions import Talk
from protocol_tests.process import Failed
from protocol_tests.registry import Run, check

MEGABYTE = 1 << 20


def _timed_turns(talk: Talk, count: int, limit_ms: float, seed: int) -> list[float]:
    """Random opponent moves; seconds each answer took. A new game starts when the board gets crowded."""
    chance = random.Random(seed)
    took = []
    for _ in range(count):
        if len(talk.position.stones) > 60:
            talk.say("RESTART")
            talk.brain.expect("OK")
        x, y = chance.choice(talk.position.free_cells())
        started = time.monotonic()
        talk.say(f"TURN {x},{y}")
        talk.move(limit_ms)
        took.append(time.monotonic() - started)
    return took


@check(77)
def every_move_within_the_turn_limit(run: Run) -> None:
    limit, count = (1000, 100) if run.full else (150, 16)
    with run.brain() as brain:
        talk = Talk(brain)
        # No waiting for OK: the first move of a fresh process is included.
        talk.say("START 15", f"INFO timeout_turn {limit}", "TURN 7,7")
        brain.expect("OK", 1000)
        talk.move(1000)
        took = _timed_turns(talk, count, limit, 77)
        # Single moves are forgiven what the machine does; the middle one is not.
        if (middle := 1000 * sorted(took)[count // 2]) > limit * max(1.0, run.slack / 3):
            raise Failed(f"half of the moves took {middle:.0f} ms or more at {limit} ms a move")


@check(78)
def the_match_clock_holds(run: Run) -> None:
    match, turn, count = (20_000, 5000, 60) if run.full else (2500, 700, 30)
    for tell in ("right", "wrong", "absent"):
        with run.brain() as brain:
            talk = Talk(brain)
            talk.start(20, f"timeout_match {match}", f"timeout_turn {turn}")
            used = 0.0
            for _ in range(count):
                if tell != "absent":
                    left = match - 1000 * used if tell == "right" else match
                    talk.say(f"INFO time_left {left:.0f}")
                chance = random.Random(len(talk.position.stones))
                x, y = chance.choice(talk.position.free_cells())
                started = time.monotonic()
                talk.say(f"TURN {x},{y}")
                talk.move(turn)
                used += time.monotonic() - started
            if used * 1000 > match * max(1.0, run.slack / 4):
                raise Failed(f"time_left {tell}: {used:.2f} s used of {match / 1000} s")


@check(79)
def suspended_between_moves(run: Run) -> None:
    pause, limit = (10.0, 1000) if run.full else (1.0, 300)
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, f"timeout_turn {limit}", "timeout_match 100000")
        for x in range(3):
            started = time.monotonic()
            talk.say("INFO time_left 100000", f"TURN {x},{2 * x}")
            talk.move(limit)
            took = time.monotonic() - started
            if x and took < 0.02:
                raise Failed(f"the pause was charged to the move: answered after {took:.3f} s")
            brain.suspend()
            time.sleep(pause)
            brain.resume()


@check(80)
def suspended_before_the_first_move(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        info = ("timeout_turn 1000", "timeout_match 10000", "max_memory 367001600", "rule 0", "folder .")
        talk.say("START 20", *(f"INFO {line}" for line in info))
        brain.suspend()
        time.sleep(1.0)
        talk.say("INFO time_left 10000", "BOARD", "9,9,2", "10,10,1", "8,9,2", "DONE")
        brain.resume()
        brain.expect("OK")
        talk.move(1000)


@check(1, 59, 85)
def no_work_while_nothing_is_asked(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, "timeout_turn 300", "pondering 1")
        talk.say("TURN 7,7")
        talk.move()
        talk.say("TURN 0,0")
        talk.move()
        # A network may still be loading.
        busy = -1.0
        while (now := brain.cpu_seconds()) - busy > 0.02:
            busy = now
            time.sleep(0.7)
        before = brain.cpu_seconds()
        time.sleep(1.0)
        talk.say("BOARD", "7,7,1")
        time.sleep(1.0)
        if (used := brain.cpu_seconds() - before) > 0.2:
            raise Failed(f"{used:.2f} s of CPU in 2 s without a question")


@check(86)
def on_time_on_one_core_with_many_threads(run: Run) -> None:
    with run.brain() as brain:
        os.sched_setaffinity(brain.process.pid, {sorted(os.sched_getaffinity(0))[0]})
        talk = Talk(brain)
        talk.start(15, "thread_num 8", "timeout_turn 200")
        _timed_turns(talk, 5, 200, 86)


@check(30)
def memory_limits_are_kept(run: Run) -> None:
    for limit in (0, 83_886_080, 367_001_600, 1_048_576, 8_589_934_592, 2**64):
        with run.brain() as brain:
            talk = Talk(brain)
            talk.start(15, f"max_memory {limit}", f"timeout_turn {3000 if run.full else 300}")
            brain.silent(100)
            for line in ("TURN 7,7", "TURN 0,0", "TURN 9,9"):
                talk.say(line)
                talk.move(3000)
                if 70 * MEGABYTE <= limit < 2**32 and (used := brain.private_bytes()) > limit:
                    raise Failed(f"{used / MEGABYTE:.0f} MB used of {limit / MEGABYTE:.0f} MB")
