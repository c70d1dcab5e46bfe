"""How a brain ends, and what it leaves behind."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from protocol_tests.check_positions import Talk
from protocol_tests.position import MOVE
from protocol_tests.process import Failed
from protocol_tests.registry import Run, check

SESSION = (
    b"ABOUT\nSTART 15\r\nINFO timeout_turn 20\nBEGIN\nTURN 0,0\nBOARD\n7,7,1\n8,8,2\nDONE\nTAKEBACK 8,8\n"
    b"SWAP2BOARD\nDONE\nRESTART\nYXBOARD 7,7,1 8,8,2 DONE\nYXNBEST 2\nFOO\nEND"
)


@check(34, 93)
def nothing_is_written_outside_the_folder(run: Run) -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "data").mkdir()
        with run.brain(cwd=home, environment={"TMPDIR": name, "TMP": name, "TEMP": name, "HOME": name}) as brain:
            talk = Talk(brain)
            talk.start(15, "timeout_turn 100")
            for folder in (r"C:\Program Files\x y" + "\\", str(home / "missing"), "d" * 300, str(home / "data")):
                talk.say(f"INFO folder {folder}")
                brain.silent(100)
            talk.say("TURN 7,7")
            talk.move()
            brain.send("END")
            brain.exits(1000)
        left = sorted(path.name for path in home.rglob("*") if path.name != "data")
        if left:
            raise Failed(f"files left behind: {left}")


@check(88)
def end_during_a_think(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, "timeout_turn 30000", "book 0")
        talk.say("BOARD 7,7,1 8,8,2 DONE")
        brain.silent(300, talk=True)
        brain.send("END")
        words = brain.exits(200, silently=False)
        if len(words) > 1 or any(not MOVE.fullmatch(word) for word in words):
            raise Failed(f"last words {words}")
        if words:
            talk.position.moved(words[0])


@check(90)
def end_of_input(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, "timeout_turn 30000")
        brain.close_input()
        brain.exits(200)
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, "timeout_turn 30000", "book 0")
        talk.say("BOARD 7,7,1 8,8,2 DONE")
        brain.silent(200, talk=True)
        brain.close_input()
        words = brain.exits(1000, silently=False)
        if len(words) != 1:
            raise Failed(f"a move was owed, but the last words are {words}")
        talk.position.moved(words[0])


@check(90)
def end_of_input_at_every_offset(run: Run) -> None:
    for offset in range(0, len(SESSION) + 1, 1 if run.full else 16):
        with run.brain() as brain:
            brain.send_bytes(SESSION[:offset])
            brain.close_input()
            words = brain.exits(1500, silently=False)
            if len(words) > SESSION[:offset].count(b"\n") + 1:
                raise Failed(f"offset {offset}: more replies than lines: {words}")


@check(91)
def nobody_listens(run: Run) -> None:
    brain = subprocess.Popen(run.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert brain.stdin is not None and brain.stdout is not None and brain.stderr is not None
    brain.stdin.write(b"START 15\nINFO timeout_turn 30000\nINFO book 0\n")
    brain.stdin.flush()
    brain.stdout.readline()
    brain.stdout.close()
    try:
        brain.stdin.write(b"ABOUT\nBOARD 7,7,1 8,8,2 DONE\n")
        brain.stdin.flush()
        brain.wait(timeout=2 * run.slack)
        if errors := brain.stderr.read():
            raise Failed(f"bytes on stderr: {errors!r}")
    finally:
        brain.kill()
        brain.wait()


@check(92)
def end_without_a_line_end(run: Run) -> None:
    with run.brain() as brain:
        brain.send("START 15")
        brain.expect("OK", 3000)
        brain.send_bytes(b"END")
        brain.close_input()
        brain.exits(500)
