"""Tries packages as they are handed out: `python -m freeze.handed dist/release/*windows*.zip`.

Each is unpacked into a folder with a blank in its name and tried under Wine twice: in a prefix made for the occasion,
with nothing done to it, and in that of the build (docs/executables.md). One line for each trial; exit code 1 if one
fails.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import cython_core as core
from brain.choice import resisting_move
from freeze import chain, needs, parcel, people, trial
from freeze.plan import BuildError, default_cache
from freeze.talk import MOVE, Talk, TalkError

Command = list[str]

EXPLANATION = "no window of its own"
DRAWING = re.compile("\x1b\\[[0-9;?]*[A-Za-z]|[\r\n]")
"""What Wine's console sends besides the text."""

TURN_S, MOVES = 1.0, 4
"""Limit of a move in the conversation, and how many are asked for."""
LATE_S = 0.5
"""Judges forgive a second; the pipes of a busy machine take some of it."""
LEAVES_S = 1.0
"""Managers kill what is still there so long after END."""


def converses(command: Command, folder: Path) -> str:
    """The beginning of a game: every move is legal and in time."""
    board, slowest = core.Board(15, 15, core.FREESTYLE), 0.0
    with Talk(command, cwd=folder) as talk:
        talk.send("START 15")
        talk.expect("OK")
        started = time.monotonic() - talk.started
        talk.send("ABOUT")
        talk.expect(r'name="Renga", version="[^"]+", author="[^"]+".*')
        talk.send("INFO book 0", f"INFO timeout_turn {1000 * TURN_S:.0f}", "INFO timeout_match 100000")
        talk.send("INFO max_memory 367001600")
        asked = "BEGIN"
        for _ in range(MOVES):
            slowest = max(slowest, _asked(talk, asked, board))
            asked = _reply(board)
        if not TURN_S / 2 < slowest < TURN_S + LATE_S:
            raise TalkError(f"the slowest of {MOVES} moves took {slowest:.2f} s of {TURN_S:.0f} s")
        talk.send("INFO timeout_turn 0")
        at_once = _asked(talk, asked, board)
        began = time.monotonic()
        talk.end(LEAVES_S + LATE_S)
    gone = time.monotonic() - began
    return (
        f"first OK after {started:.2f} s, {MOVES} moves of {TURN_S:.0f} s in {slowest:.2f} s at most,"
        f" one at once in {at_once:.2f} s, gone {gone:.2f} s after END"
    )


def _asked(talk: Talk, line: str, board: core.Board) -> float:
    """Plays the answer to this line; how long it took."""
    began = time.monotonic()
    talk.send(line)
    x, y = map(int, talk.expect(MOVE).split(","))
    spent = time.monotonic() - began
    if not (x < board.width and y < board.height and board.legal(core.cell(x, y))):
        raise TalkError(f"{x},{y} is no move")
    board.play(core.cell(x, y))
    return spent


def _reply(board: core.Board) -> str:
    """Our own move, one that stops what has to be stopped."""
    cell = resisting_move(board)
    if board.winner != core.EMPTY or cell is None:
        raise TalkError("the game is over too soon")
    board.play(cell)
    x, y = core.xy(cell)
    return f"TURN {x},{y}"


def finds_itself_sound(command: Command, folder: Path) -> str:
    """`--selftest`: one line for each check, and a verdict."""
    code, told = _run([*command, "--selftest"], folder)
    if code or not told.endswith("all is well"):
        raise TalkError(f"--selftest: exit code {code}: {told}")
    lines = [line.split(None, 2) for line in told.splitlines()]
    return "all is well; " + "; ".join(words[2] for words in lines if words[0] == "network")


def explains_itself(command: Command, folder: Path) -> str:
    """Started with nobody there, and from a terminal, it says what it is; from there it can be left."""
    _, told = _run(command, folder)
    if EXPLANATION not in told:
        raise TalkError(f"without input it says: {told or 'nothing'}")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )  # fmt: skip
    os.close(theirs)
    try:
        _until_shown(ours, EXPLANATION)
        _type_until_left(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return "says what it is, without input and on a terminal, which END leaves"


def _until_shown(terminal: int, words: str) -> None:
    """Waits until a terminal shows these words, in whatever way it was told to draw them."""
    shown, deadline = "", time.monotonic() + people.SECONDS
    while words not in DRAWING.sub("", shown):
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TalkError(f"on a terminal it says: {shown or 'nothing'}")
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            raise TalkError(f"on a terminal it has ended; it said: {shown or 'nothing'}") from None


def _type_until_left(terminal: int, process: subprocess.Popen[bytes]) -> None:
    """Wine's console loses what is typed before the program has begun to read."""
    for _ in range(int(people.SECONDS)):
        os.write(terminal, b"END\r")
        with suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
            return
    raise TalkError("on a terminal it does not leave at END")


def serves_people(command: Command, folder: Path) -> str:
    """The program beside the engine: its commands, and the board."""
    program = folder / parcel.PEOPLE_EXE
    if not program.exists():
        return "not in this package"
    people.commands_answer([*command[:-1], str(program)])
    people.board_is_served([*command[:-1], str(program)], lambda: trial.processes_of(program))
    return "analyse, solve, verify, play, selftest; the page is served and its engine analyses"


TRIALS: tuple[Callable[[Command, Path], str], ...] = (
    converses, finds_itself_sound, explains_itself, serves_people,
)  # fmt: skip


@contextmanager
def plain_prefix() -> Iterator[Command]:
    """Wine as it comes."""
    with tempfile.TemporaryDirectory(prefix="renga-plain-", ignore_cleanup_errors=True) as folder:
        start = ["env", "-u", "DISPLAY", f"WINEPREFIX={folder}/prefix", needs.wine()]
        trial.quietly([*start[:-1], "wineboot", "--init"])
        with _served(start):
            yield start


@contextmanager
def prefix_of_the_build() -> Iterator[Command]:
    start = chain.prepare(default_cache()).start
    with _served(start):
        yield start


@contextmanager
def _served(start: Command) -> Iterator[None]:
    """With Wine's services running: those that a brain starts would keep the brain's pipes open."""
    trial.wine_server(start, "--kill", "--wait")
    trial.wine_server(start, "--persistent=600")
    trial.quietly([*start, "cmd", "/c", "exit"])
    try:
        yield
    finally:
        trial.wine_server(start, "--kill", "--wait")


def _run(command: Command, folder: Path) -> tuple[int, str]:
    """Exit code and output without input; what Wine itself has to say is left out."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        errors="replace", cwd=folder, timeout=people.SECONDS, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.strip()


def tried(package: Path, start: Command, where: str) -> int:
    """Every trial of one package in one prefix; how many failed."""
    failures = 0
    with tempfile.TemporaryDirectory(prefix="renga handed ") as name:
        folder = Path(name)
        with zipfile.ZipFile(package) as archive:
            archive.extractall(folder)
        command = [*start, str(folder / parcel.TOURNAMENT_EXE)]
        for each in TRIALS:
            began = time.monotonic()
            try:
                verdict = each(command, folder)
            except (TalkError, subprocess.TimeoutExpired) as error:
                verdict = f"FAILED: {error}"
                failures += 1
            what = each.__name__.replace("_", " ")
            print(f"{package.name}, {where}: {what}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
    return failures


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="freeze.handed", description="Tries Windows packages under Wine.")
    parser.add_argument("packages", nargs="+", type=Path, metavar="ZIP")
    options = parser.parse_args(arguments)
    failures = 0
    try:
        for package in options.packages:
            print(f"{package.name}: {package.stat().st_size / 1e6:.2f} MB", flush=True)
        for where, prefix in (("plain prefix", plain_prefix), ("prefix of the build", prefix_of_the_build)):
            with prefix() as start:
                failures += sum(tried(package, start, where) for package in options.packages)
    except (BuildError, OSError, zipfile.BadZipFile) as error:
        print(f"freeze.handed: {error}", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
