r"""Transcript files: a conversation that reads as one.

    # items 12 13          what it covers; other comments start with # too
    > START 15             sent, with LF
    >> START 15\r\n        sent exactly so, with escapes and without a line end
    < OK                   expected within a second (times slack); MESSAGE and DEBUG lines are passed over
    <200 {move}            expected within 200 ms: a legal move in the position so far
    < {move in 6,7 11,7}   one of these; {move not 6,8} any other legal one
    < {/ERROR .*/}         matches the whole line; {/MESSAGE .../} waits for such a line among the talk
    < {silent 300}         no byte for 300 ms
    < {thinking 300}       no reply for 300 ms, but talk is allowed
    < {alive}              ABOUT is answered
    < {exit 200}           the process ends, without a word and with exit code 0

Afterwards the brain gets END, must not have said anything more and must leave.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from protocol_tests.position import Position
from protocol_tests.process import TALK, Brain, Failed

FOLDER = Path(__file__).parent / "transcripts"
DEFAULT_MS = 1000.0

_EXPECTED = re.compile(r"<(\d*) (.*)")


@dataclass(frozen=True)
class Transcript:
    """One file."""

    path: Path
    items: tuple[int, ...]
    steps: tuple[tuple[int, str], ...]
    """Line number and text."""


def read(path: Path) -> Transcript:
    """Raises ValueError with file and line for anything that is not in the format above."""
    lines = path.read_text(encoding="ascii").splitlines()
    head = re.fullmatch(r"# items((?: \d+)+)", lines[0]) if lines else None
    if head is None:
        raise ValueError(f"{path}:1: the first line must be `# items N ...`")
    steps = []
    for number, line in enumerate(lines, 1):
        if line.startswith(("> ", ">> ")) or line == ">" or _EXPECTED.fullmatch(line):
            steps.append((number, line))
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{path}:{number}: not a transcript line: {line!r}")
    return Transcript(path, tuple(int(item) for item in head[1].split()), tuple(steps))


def read_all() -> list[Transcript]:
    return [read(path) for path in sorted(FOLDER.glob("*.txt"))]


def play(transcript: Transcript, brain: Brain) -> None:
    """Runs a transcript against a fresh brain; raises Failed with file and line."""
    position = Position()
    ended = False
    for number, line in transcript.steps:
        try:
            ended = _step(line, brain, position)
        except (Failed, BrokenPipeError) as failure:
            raise Failed(f"{transcript.path.name}:{number}: {line}: {failure}") from None
    if not ended:
        try:
            brain.send("END")
            brain.exits(1000)
        except Failed as failure:
            raise Failed(f"{transcript.path.name}: after the last line: {failure}") from None


def _step(line: str, brain: Brain, position: Position) -> bool:
    """One line; True when the process has ended."""
    if line.startswith(">> "):
        data = line[3:].encode("ascii").decode("unicode_escape")
        brain.send_bytes(data.encode("latin-1"))
        for each in data.splitlines():
            position.sent(each)
        return False
    if line.startswith(">"):
        brain.send(line[2:])
        position.sent(line[2:])
        return False
    found = _EXPECTED.fullmatch(line)
    assert found is not None
    return _expect(found[2], float(found[1] or DEFAULT_MS), brain, position)


def _expect(wanted: str, ms: float, brain: Brain, position: Position) -> bool:
    if not (wanted.startswith("{") and wanted.endswith("}")):
        brain.expect(wanted, ms)
        return False
    kind, _, rest = wanted[1:-1].partition(" ")
    if kind == "silent":
        brain.silent(float(rest))
    elif kind == "thinking":
        brain.silent(float(rest), talk=True)
    elif kind == "alive":
        brain.alive()
    elif kind == "exit":
        brain.exits(float(rest))
        if code := brain.process.returncode:
            raise Failed(f"exit code {code}")
        return True
    elif kind == "move":
        cell = position.moved(brain.reply(ms))
        sense, _, cells = rest.partition(" ")
        listed = {tuple(int(number) for number in pair.split(",")) for pair in cells.split()}
        if (sense == "in" and cell not in listed) or (sense == "not" and cell in listed):
            raise Failed(f"got {cell}")
    elif wanted.startswith("{/") and wanted.endswith("/}"):
        pattern = wanted[2:-2]
        line = brain.raw_line(ms) if pattern.startswith(TALK) else brain.reply(ms)
        while pattern.startswith(TALK) and line.startswith(TALK) and not re.fullmatch(pattern, line):
            line = brain.raw_line(ms)
        if not re.fullmatch(pattern, line):
            raise Failed(f"got {line!r}")
    else:
        raise Failed("no such expectation")
    return False
