"""Commands that only the Yixin family sends, as text: read into typed commands, their replies written.

Some of them go on after their first line: a list of cells until DONE, a text in quotes that may have several lines and
is followed by such a list, or the name of a file on a line of its own. The caller carries what is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from brain.tokens import entries, number, numbers

XY = tuple[int, int]


@dataclass(frozen=True)
class Bare:
    """A command of one word. What a dataclass has made for it serves every class below it, which saves a tenth of the
    program's start."""


class Balance(NamedTuple):
    """The most even next move, or the next two; `bias` is the evaluation wanted for the side to move."""

    moves: int
    bias: int


class SearchDefend(Bare):
    pass


class Block(NamedTuple):
    """Moves that may not be considered any more, or may be again; a path ends with the move in question."""

    cells: tuple[XY, ...]
    undo: bool = False
    path: bool = False


class BlockReset(NamedTuple):
    path: bool


class Swap2Step(NamedTuple):
    step: int


class SoosorvStep(NamedTuple):
    step: int
    cells: tuple[XY, ...] = ()
    offers: int = 1
    """Fifth moves to be offered."""


class ShowHashUsage(Bare):
    pass


class Database(NamedTuple):
    """Something about a position of the database; `header` is what stands before the list."""

    verb: str
    cells: tuple[XY, ...] = ()
    header: str = ""


class Draw(Bare):
    """A draw is offered."""


class Features(Bare):
    pass


class TreeFile(NamedTuple):
    """The search tree into a file, or out of it."""

    verb: str
    path: str


class File(NamedTuple):
    """Something of the database with a file."""

    verb: str
    path: str


class Told(NamedTuple):
    """Known, and answered with this whatever the position."""

    text: str


class Bad(NamedTuple):
    """A known command with unusable arguments."""

    reason: str


Command = (
    Balance | SearchDefend | Block | BlockReset | Swap2Step | SoosorvStep | ShowHashUsage | Draw | Features | TreeFile
    | Database | File | Told | Bad
)  # fmt: skip


class Open(NamedTuple):
    """A command that goes on with the next line."""

    verb: str
    waits_for: str
    """`cells`, `quote` or `path`."""
    header: str = ""
    cells: tuple[XY, ...] = ()
    bad: int = 0


MOST_CELLS = 2048
"""Cells of a list that are kept: twice the largest board."""
LONGEST_TEXT = 1 << 16
"""Characters of a text that are kept."""

_PLAIN: dict[str, Command] = {
    "YXSEARCHDEFEND": SearchDefend(),
    "YXBLOCKRESET": BlockReset(path=False),
    "YXBLOCKPATHRESET": BlockReset(path=True),
    "YXSWAP2STEP1": Swap2Step(1),
    "YXSWAP2STEP2": Swap2Step(2),
    "YXSWAP2STEP3": Swap2Step(3),
    "YXSOOSORVSTEP1": SoosorvStep(1),
    "YXSHOWHASHUSAGE": ShowHashUsage(),
    "YXSAVEDATABASE": Database("YXSAVEDATABASE"),
    "YXDBCHECK": Database("YXDBCHECK"),
    "YXDBFIX": Database("YXDBFIX"),
    "YXDRAW": Draw(),
    "YXRESIGN": Told("RESIGN ACCEPT | Renga itself plays to the end; START begins another game"),
    "YXPRINTFEATURE": Features(),
    "YXFORBID": Told("no cell is forbidden to one side only: YXBLOCK rules moves out for both"),
}
_CELLS = (
    "YXBLOCK", "YXBLOCKUNDO", "YXBLOCKPATH", "YXBLOCKPATHUNDO", "YXQUERYDATABASEALL", "YXQUERYDATABASEALLT",
    "YXQUERYDATABASEONE", "YXQUERYDATABASETEXT", "YXDELETEDATABASEONE", "YXSETBESTMOVEDATABASE",
    "YXCLEARBESTMOVEDATABASE", "YXSOOSORVSTEP2", "YXSOOSORVSTEP3", "YXSOOSORVSTEP6",
)  # fmt: skip
_HEADED = (
    "YXEDITTVDDATABASE", "YXEDITLABELDATABASE", "YXDELETEDATABASEALL", "YXSOOSORVSTEP4", "YXSOOSORVSTEP5",
)  # fmt: skip
_QUOTED = ("YXEDITTEXTDATABASE",)
_FILES = (
    "YXSETDATABASE", "YXDBTOTXT", "YXDBTOTXTALL", "YXTXTTODB", "YXLIBTODB", "YXDBMERGE", "YXDBSPLIT", "YXDBTOPOS",
    "YXDBTOLIB", "YXHASHDUMP", "YXHASHLOAD",
)  # fmt: skip


def begin(verb: str, rest: str) -> tuple[Command | None, Open | None]:
    """The first line of a command: the command, or what is open; neither for a word that is not ours."""
    if verb in _PLAIN:
        return _PLAIN[verb], None
    if verb in ("YXBALANCEONE", "YXBALANCETWO"):
        bias = number(rest) if rest else 0
        if bias is None:
            return Bad(f"{verb} needs a whole number"), None
        return Balance(1 if verb == "YXBALANCEONE" else 2, bias), None
    if verb in _CELLS:
        return go_on(Open(verb, "cells"), rest)
    if verb in _HEADED:
        header, cells = ("", "") if verb == "YXEDITLABELDATABASE" else _parted(rest)
        return go_on(Open(verb, "cells", header), cells) if cells else (None, Open(verb, "cells", rest))
    if verb in _QUOTED:
        before, quote, text = rest.partition('"')
        return go_on(Open(verb, "quote"), text) if quote and not before else (None, Open(verb, "cells", rest))
    if verb in _FILES:
        return (_file(verb, rest), None) if rest else (None, Open(verb, "path"))
    return None, None


def go_on(opened: Open, line: str) -> tuple[Command | None, Open | None]:
    """One more line, or what follows on the same one."""
    if opened.waits_for == "path":
        return (_file(opened.verb, line.strip()), None) if line.strip() else (None, opened)
    if opened.waits_for == "quote":
        text, rest = _unquoted(line.removesuffix("\r"))
        opened = opened._replace(header=(opened.header + text)[:LONGEST_TEXT])
        if rest is None:
            return None, opened._replace(header=opened.header + "\n")
        return go_on(opened._replace(waits_for="cells"), rest)
    cells, bad = list(opened.cells), opened.bad
    for token in entries(line):
        if token.upper() == "DONE":
            return _closed(opened._replace(cells=tuple(cells), bad=bad)), None
        pair = numbers(token, 2)
        if pair is None or len(cells) == MOST_CELLS:
            bad += 1
        else:
            cells.append((pair[0], pair[1]))
    return None, opened._replace(cells=tuple(cells), bad=bad)


def _file(verb: str, path: str) -> Command:
    return TreeFile(verb, path) if verb.startswith("YXHASH") else File(verb, path)


def _parted(rest: str) -> tuple[str, str]:
    """A list that ends on its first line, and what stands before it; no list where the line does not end it."""
    words = entries(rest)
    if not words or words[-1].upper() != "DONE":
        return rest, ""
    start = next(index for index, word in enumerate(words) if "," in word or word.upper() == "DONE")
    return " ".join(words[:start]), " ".join(words[start:])


def _unquoted(text: str) -> tuple[str, str | None]:
    """The text until its closing quote and what follows it; None when it is not closed. A backslash quotes."""
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            return "".join(found), text[at + 1 :]
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        found.append(text[at])
        at += 1
    return "".join(found), None


def _closed(opened: Open) -> Command:
    verb, cells, header = opened.verb, opened.cells, opened.header
    if opened.bad:
        return Bad(f"{opened.bad} unreadable entries in the list of {verb}")
    if verb.startswith("YXBLOCK"):
        if not cells:
            return Bad(f"{verb} needs a cell")
        return Block(cells, undo=verb.endswith("UNDO"), path="PATH" in verb)
    if verb.startswith("YXSOOSORV"):
        count = number(header) if header else 1
        if count is None or not 1 <= count <= 8:
            return Bad(f"{verb} needs a number of fifth moves from 1 to 8")
        return SoosorvStep(int(verb[-1]), cells, count)
    return Database(verb, cells, header)


def swap2_step(step: int, cells: Sequence[XY], swap: bool) -> list[str]:
    """The answer to yxswap2step1..3. Step 3 is asked which colour it takes: YES is black."""
    if step == 1:
        return [f"MESSAGE SWAP2 MOVE{index} {x} {y}" for index, (x, y) in enumerate(cells, 1)]
    if step == 2 and len(cells) == 2:
        return [f"MESSAGE SWAP2 MOVE{index} {x} {y}" for index, (x, y) in enumerate(cells, 4)]
    return [f"MESSAGE SWAP2 SWAP{step - 1} {'YES' if swap else 'NO'}"]


def soosorv_step(step: int, cells: Sequence[XY], swap: bool, count: int) -> list[str]:
    """The answer to yxsoosorvstep1..6."""
    if step == 1:
        return [f"MESSAGE SOOSORV MOVE{index} {x} {y}" for index, (x, y) in enumerate(cells, 1)]
    if step in (2, 4):
        return [f"MESSAGE SOOSORV SWAP{step // 2} {'YES' if swap else 'NO'}"]
    if step == 3:
        ((x, y),) = cells
        return [f"MESSAGE SOOSORV MOVE4 {x} {y} {count}"]
    if step == 5:
        offered = [f"MESSAGE SOOSORV MOVE5 {x} {y}" for x, y in cells]
        return ["MESSAGE SOOSORV MOVE5 REFRESH", *offered, "MESSAGE SOOSORV MOVE5 DONE"]
    ((x, y),) = cells
    return [f"MESSAGE SOOSORV MOVE5C {x} {y}"]
