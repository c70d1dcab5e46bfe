"""Text <-> typed commands and replies. Pure functions: no state, no streams, no game.

`parse` turns one line into a command; position lists span lines, so the caller carries the open list.
The formatters make one line each, printable ASCII, never empty; those of an analysis are in `display`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from brain import yixin
from brain.tokens import entries as split_entries
from brain.tokens import number, numbers
from brain.yixin import Bad, Bare

XY = tuple[int, int]
Stone = tuple[int, int, int]
"""x, y and the field of a BOARD line: 1 own, 2 the opponent's, 3 nobody's."""


class Start(NamedTuple):
    width: int
    height: int


class Restart(Bare):
    pass


class Begin(Bare):
    pass


@dataclass(frozen=True)
class OneCell:
    x: int
    y: int


class Turn(OneCell):
    pass


class Play(OneCell):
    pass


class Takeback(OneCell):
    pass


class Board(NamedTuple):
    stones: tuple[Stone, ...]
    bad: int
    """How many entries could not be read."""
    answer: bool
    """False for YXBOARD, which only sets the position."""


class Swap2Board(NamedTuple):
    stones: tuple[XY, ...]
    bad: int


class NBest(NamedTuple):
    lines: int


class Info(NamedTuple):
    key: str
    value: str


class About(Bare):
    pass


class End(Bare):
    pass


class Stop(Bare):
    pass


class ShowInfo(Bare):
    pass


class ShowForbid(Bare):
    pass


class HashClear(Bare):
    pass


class Unknown(NamedTuple):
    text: str


Command = (
    Start | Restart | Begin | Turn | Play | Takeback | Board | Swap2Board | NBest | Info | About | End | Stop
    | ShowInfo | ShowForbid | HashClear | Unknown | yixin.Command
)  # fmt: skip



class OpenList(NamedTuple):
    """A BOARD, YXBOARD or SWAP2BOARD whose DONE has not come yet."""

    verb: str
    entries: tuple[tuple[int, ...], ...] = ()
    bad: int = 0


Opened = OpenList | yixin.Open
"""Carried from line to line."""

MOST_ENTRIES = 2048
"""Entries of a list that are kept: twice the largest board. More are no position, and each line copies them all."""

_LISTS = ("BOARD", "YXBOARD", "SWAP2BOARD")
_PLAIN: dict[str, Command] = {
    "RESTART": Restart(),
    "BEGIN": Begin(),
    "ABOUT": About(),
    "END": End(),
    "STOP": Stop(),
    "YXSTOP": Stop(),
    "YXSHOWINFO": ShowInfo(),
    "YXSHOWFORBID": ShowForbid(),
    "YXHASHCLEAR": HashClear(),
}


def is_yixin(line: str) -> bool:
    """Does this line show that the manager is of the Yixin family?"""
    return line.lstrip()[:2].upper() == "YX"


def owes_move(command: Command) -> bool:
    """Is this command answered with a move, or with the stones of an opening?"""
    return isinstance(
        command, Begin | Turn | Swap2Board | NBest | yixin.Balance | yixin.SearchDefend | yixin.Swap2Step
    ) or (isinstance(command, Board) and command.answer)


def begins_position(command: Command) -> bool:
    """Does this command put an end to whatever is thought about now?"""
    return isinstance(command, Start | Restart | Board | Swap2Board) or (
        isinstance(command, yixin.Swap2Step | yixin.SoosorvStep) and command.step == 1
    )


def acts_at_once(command: Command) -> bool:
    """Is this command obeyed while a search runs, which it does not touch or which it ends?"""
    return isinstance(
        command,
        Info | About | Stop | yixin.Block | yixin.BlockReset | yixin.Database | yixin.File | yixin.Told,
    )


def is_end(line: str) -> bool:
    """Is this line END, inside a list or out of it?"""
    return line.upper().split(None, 1)[:1] == ["END"]


def parse(line: str, opened: Opened | None = None) -> tuple[Command | None, Opened | None]:
    """One line -> (command, what is left open). No command for blank lines and inside a list.

    Inside a list only DONE, END and INFO are commands; anything unreadable counts as a bad entry. Inside a text nothing
    is a command.
    """
    verb, rest = (*line.split(None, 1), "", "")[:2]
    verb, rest = verb.upper(), rest.strip()
    if isinstance(opened, yixin.Open) and opened.waits_for == "quote":
        return yixin.go_on(opened, line)
    if opened is not None:
        if verb == "END":
            return End(), None
        if verb == "INFO":
            return _info(rest), opened
        return yixin.go_on(opened, line) if isinstance(opened, yixin.Open) else _extend(opened, line)
    if not verb:
        return None, None
    if verb in _LISTS:
        return _extend(OpenList(verb), rest)
    command, begun = yixin.begin(verb, rest)
    if command is not None or begun is not None:
        return command, begun
    return _single(verb, rest, line), None


def _single(verb: str, rest: str, line: str) -> Command | None:
    if verb in _PLAIN:
        return _PLAIN[verb]
    if verb == "INFO":
        return _info(rest)
    if verb == "START":
        # Old Yixin-Boards send the size twice.
        sizes = [number(token) for token in rest.split()]
        if not sizes or len(sizes) > 2 or sizes[0] is None or sizes[0] != sizes[-1]:
            return Bad("START needs one board size, such as 20")
        return Start(sizes[0], sizes[0])
    if verb == "RECTSTART":
        pair = numbers(rest, 2)
        return Start(*pair) if pair else Bad("RECTSTART needs width,height")
    if verb in ("TURN", "PLAY", "TAKEBACK"):
        pair = numbers(rest, 2)
        if pair is None:
            return Bad(f"{verb} needs x,y")
        return Turn(*pair) if verb == "TURN" else Play(*pair) if verb == "PLAY" else Takeback(*pair)
    if verb == "YXNBEST":
        count = number(rest)
        return NBest(count) if count is not None and count > 0 else Bad("YXNBEST needs a positive number")
    return Unknown(line.strip())


def _info(rest: str) -> Info | None:
    key, value = (*rest.split(None, 1), "", "")[:2]
    return Info(key.lower(), value) if key else None


def _extend(open_list: OpenList, text: str) -> tuple[Command | None, OpenList | None]:
    """Adds the entries of one line; several may share it (`BOARD 7,7,1 8,7,2 DONE`)."""
    width = 2 if open_list.verb == "SWAP2BOARD" else 3
    entries, bad = list(open_list.entries), open_list.bad
    for token in split_entries(text):
        if token.upper() == "DONE":
            return _close(open_list._replace(entries=tuple(entries), bad=bad)), None
        entry = numbers(token, width)
        if entry is None or len(entries) == MOST_ENTRIES:
            bad += 1
        else:
            entries.append(entry)
    return None, open_list._replace(entries=tuple(entries), bad=bad)


def _close(done: OpenList) -> Command:
    if done.verb == "SWAP2BOARD":
        return Swap2Board(tuple((x, y) for x, y in done.entries), done.bad)
    return Board(tuple((x, y, field) for x, y, field in done.entries), done.bad, answer=done.verb == "BOARD")


BOARD_WORDS = ("DATABASE", "INFO", "REALTIME", "SWAP2", "SOOSORV")
"""First words of messages that are not for people but for Yixin-Board."""

OK = "OK"
SWAP = "SWAP"


def clean(text: str, limit: int = 400) -> str:
    """Printable ASCII on one line: what every manager can read."""
    return "".join(char if " " <= char <= "~" else "?" for char in " ".join(text.split()))[:limit]


def move(xy: XY) -> str:
    return f"{xy[0]},{xy[1]}"


def moves(cells: Iterable[XY]) -> str:
    return " ".join(move(xy) for xy in cells)


def error(text: str) -> str:
    return f"ERROR {clean(text) or 'unspecified'}"


def unknown(text: str) -> str:
    return f"UNKNOWN {clean(text, 60) or 'command'}"


def message(text: str) -> str:
    """For people. Yixin-Board reads numbers behind some first words, and falls over words there."""
    line = clean(text, 1000) or "-"
    return f"MESSAGE - {line}" if line.upper().startswith(BOARD_WORDS) else f"MESSAGE {line}"


def debug(text: str) -> str:
    return f"DEBUG {clean(text) or '-'}"


def about(version: str) -> str:
    return f'name="Renga", version="{version}", author="Renga developers", license="MIT"'


def forbid(cells: Iterable[XY]) -> str:
    return "FORBID " + "".join(f"{x:02d}{y:02d}" for x, y in cells) + "."


def capabilities(threads: int, hash_kb: int) -> list[str]:
    """The answer to YXSHOWINFO; the hash size goes out as an exponent of two, in KB."""
    return [
        f"MESSAGE INFO MAX_THREAD_NUM {threads}",
        f"MESSAGE INFO MAX_HASH_SIZE {max(0, hash_kb.bit_length() - 1)}",
    ]
