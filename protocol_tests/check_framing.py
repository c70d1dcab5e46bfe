"""How bytes arrive and leave: other directories, slow and huge input, the form of every output line."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from protocol_tests.position import Position
from protocol_tests.process import Failed
from protocol_tests.registry import Run, check


@check(8)
def runs_from_another_directory_with_unknown_arguments(run: Run) -> None:
    with tempfile.TemporaryDirectory(prefix="a path with blanks ") as folder:
        for arguments in (("--force-utf8",), ("--no-such-argument", "value"), ()):
            with run.brain(*arguments, cwd=Path(folder)) as brain:
                brain.send("START 15", "INFO timeout_turn 100")
                brain.expect("OK", 3000)
                brain.send("TURN 7,7")
                brain.reply()
                brain.send("END")
                brain.exits(1000)


@check(10)
def bytes_one_by_one_give_the_same_answers(run: Run) -> None:
    conversation = b"START 15\r\nINFO timeout_turn 100\r\nBOARD\r\n7,7,1\r\n8,8,2\r\nDONE\r\n"
    with run.brain() as brain:
        for byte in conversation:
            brain.send_bytes(bytes((byte,)))
            time.sleep(0.005)
        brain.expect("OK")
        position = Position()
        for line in conversation.decode().splitlines():
            position.sent(line)
        position.moved(brain.reply())
        brain.silent()


@check(11)
def every_reply_is_visible_before_the_next_command(run: Run) -> None:
    lines = (
        "START 15", "INFO timeout_turn 50", "BEGIN", "TURN 0,0", "TAKEBACK 0,0", "RESTART", "PLAY 3,3", "ABOUT",
        "RECTSTART 15,15", "BOARD 7,7,1 8,8,2 DONE", "SWAP2BOARD DONE", "FOO", "YXSHOWINFO", "YXSHOWFORBID",
    )  # fmt: skip
    with run.brain() as brain:
        for line in lines:
            brain.send(line)
            if line == "YXSHOWINFO":
                brain.raw_line(1000)
                brain.raw_line(1000)
            elif not line.startswith("INFO"):
                brain.reply()
        brain.silent()


@check(72)
def a_line_of_a_hundred_kilobytes(run: Run) -> None:
    with run.brain() as brain:
        brain.send("START 15")
        brain.expect("OK", 3000)
        before = brain.private_bytes()
        for _ in range(20):
            brain.send("x" * 100_000, "ABOUT")
            line = brain.reply()
            if line.startswith(("UNKNOWN", "ERROR")):
                line = brain.reply()
            if 'name="' not in line:
                raise Failed(f"expected ABOUT's answer, got {line!r}")
        if brain.private_bytes() - before > 16 << 20:
            raise Failed("memory grows with overlong lines")


@check(74)
def megabytes_of_random_bytes(run: Run) -> None:
    chance = random.Random(74)
    size = 10_000_000 if run.full else 1_000_000
    noise = chance.randbytes(size)
    with run.brain() as brain:
        brain.send_bytes(noise + b"\n")
        brain.send("ABOUT")
        lines, allowed = 0, noise.count(b"\n") + 1
        while 'name="' not in (line := brain.reply(20_000)):
            lines += 1
            if not line.startswith(("UNKNOWN", "ERROR")):
                raise Failed(f"unexpected {line!r}")
        if lines > allowed:
            raise Failed(f"{lines} replies to {allowed} lines")
        brain.send("START 15")
        brain.expect("OK")


@check(76)
def every_line_of_a_session_is_well_formed(run: Run) -> None:
    """`Brain` checks the form of each line and that stderr stays empty; here is a long session for it to check."""
    with run.brain() as brain:
        position = Position()
        chance = random.Random(76)

        def say(*lines: str) -> None:
            for line in lines:
                position.sent(line)
            brain.send(*lines)

        for size in (15, 20):
            say(f"START {size}")
            brain.expect("OK", 3000)
            say("INFO timeout_turn 60", "INFO game_type 1", "BEGIN")
            position.moved(brain.reply())
            for _ in range(12):
                x, y = chance.choice(position.free_cells())
                say(f"TURN {x},{y}")
                position.moved(brain.reply())
            say("TURN 99,99", "NONSENSE", "ABOUT")
            for start in ("ERROR ", "UNKNOWN ", 'name="'):
                if not (line := brain.reply()).startswith(start):
                    raise Failed(f"expected {start}..., got {line!r}")
        brain.send("END")
        brain.exits(1000)


@check(101)
def analysis_lines_only_for_those_who_asked(run: Run) -> None:
    with run.brain() as brain:
        brain.send("START 15", "INFO timeout_turn 100", "INFO book 0")
        brain.expect("OK", 3000)
        for detail, asked in ((0, False), (2, True), (1, False)):
            brain.analysis = asked
            brain.talk.clear()
            brain.send(f"INFO show_detail {detail}", "BOARD 7,7,1 8,8,2 DONE")
            brain.reply()
            for kind in ("INFO BESTLINE ", "MESSAGE REALTIME BEST "):
                if asked != any(line.startswith(kind) for line in brain.talk):
                    raise Failed(f"{kind}at show_detail {detail}: {brain.talk}")


@check(103)
def the_depth_grows_from_block_to_block(run: Run) -> None:
    """Yixin-Board wipes out what it has drawn with a smaller depth; with the same or a larger one it would stay."""
    with run.brain() as brain:
        brain.analysis = True
        brain.send("START 15", f"INFO timeout_turn {9000 if run.full else 2400}", "INFO show_detail 3")
        brain.expect("OK", 3000)
        brain.send("YXBOARD 7,7,1 8,8,2 DONE", "YXNBEST 3")
        brain.reply(10_000)
        shown = [int(line.split()[2]) for line in brain.talk if line.startswith("INFO DEPTH ")]
        blocks = [shown[at : at + 3] for at in range(0, len(shown), 3)]
        depths = [depth for depth, *_ in blocks]
        least = 3 if run.full else 2  # a busy machine may be late with a report, never with the last one
        if len(blocks) < least or any(len({*block}) != 1 for block in blocks) or depths != sorted({*depths}):
            raise Failed(f"the depths of three lines at a time: {blocks}")
