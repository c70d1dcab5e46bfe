"""An opening book as a text file, one position per line: to read, to edit, to keep under version control.

    renga-book 1
    # lines that begin so are for people
    freestyle 15x15 empty | h8 52.1% 3120
    freestyle 15x15 h8 | g9 48.0% 1200 | h9 47.6% 1100
    freestyle 15x15 c4d6b8 offer | e6 50.2% 900
    crc32 5f0c1d2e

Rule, size, and the stones: in any order in which they may have been played, black first, in any orientation; `offer`
where swap2 may begin with these three. Then the moves, best first: with the win rate of whoever makes it, and the
simulations that it had. The last line is the checksum of all that is above it. Nothing here plays or writes a file.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cython_core as core
from brain.notation import LETTERS, vacant
from brain.position_key import PositionKey, key_of, onto_key
from brain.records import Line

HEADER = "renga-book 1"
EMPTY, OFFER = "empty", "offer"
MOST_STONES = 8
"""Of a position in a book: openings end somewhere, and later positions need not be looked up."""
MOST_POSITIONS = 2000
"""Of one rule and size: they are read within the first move, in a tenth of a second."""
LARGEST_FILE, LONGEST_LINE = 1 << 20, 500
"""Bytes and characters. What is larger cannot be a book of ours and is not read."""

Place = tuple[int, int, int]
"""Rule, width and height."""

_CELL = "[a-z]{1,2}[1-9][0-9]?"
_MOVE = rf"({_CELL}) (100|[1-9]?[0-9])\.([0-9])% ([1-9][0-9]{{0,8}})"
_LINE = re.compile(rf"\S+ \S+ ({EMPTY}|(?:{_CELL})+)( {OFFER})?((?: \| {_MOVE})+)")
_SEAL = re.compile(r"crc32 ([0-9a-f]{8})\n")
_RULES = {rule.name: number for number, rule in core.RULE_BOOK.items()}


class BookError(Exception):
    """There is no usable book; the text is one sentence for the user and names the file."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a book says of a position, in its key's orientation."""

    key: PositionKey
    lines: tuple[Line, ...]
    """Best first, at least one; no two are the same by symmetry."""
    offer: bool = False
    """May swap2 begin with these three stones?"""


class BookFile:
    """The positions of a book. A rule and size is read when it is asked for: a game has one; a line takes 0.05 ms."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """BookError unless this is a whole book: its checksum is right, and each line has a rule and a size.

        data: what is going to be in the file, instead of what is.
        """
        self._path = path
        self._numbered: dict[Place, list[tuple[int, str]]] = {}
        self._answers: dict[Place, dict[PositionKey, Answer]] = {}
        places: dict[str, Place] = {}
        for number, line in enumerate(_unsealed(path, _contents(path) if data is None else data), 2):
            if line.startswith("#"):
                continue
            with _naming(path, number):
                head = " ".join(line.split(" ", 2)[:2])
                if head not in places:
                    places[head] = _place(head)
                lines = self._numbered.setdefault(places[head], [])
                if len(lines) == MOST_POSITIONS:
                    raise ValueError(f"more than {MOST_POSITIONS} positions of one rule and size")
                lines.append((number, line))

    @property
    def places(self) -> list[Place]:
        return list(self._numbered)

    def answers(self, place: Place) -> dict[PositionKey, Answer]:
        """All positions of a rule and size; BookError names the first line that cannot be."""
        if place not in self._answers:
            found: dict[PositionKey, Answer] = {}
            for number, line in self._numbered.get(place, ()):
                with _naming(self._path, number):
                    answer = _answer(place, line)
                    if answer.key in found:
                        raise ValueError("this position has been there before")
                    found[answer.key] = answer
            self._answers[place] = found
        return self._answers[place]

    def __len__(self) -> int:
        """How many positions there are. Reads all of them: BookError if one cannot be."""
        return sum(len(self.answers(place)) for place in self.places)


def text_of(answers: Iterable[Answer], remark: str) -> str:
    """The whole file, in one order whatever the order of the answers: short positions first."""

    def order(answer: Answer) -> tuple[int, int, int, int, bool, bytes]:
        key = answer.key
        return list(core.RULES).index(key.rule), key.width, key.height, key.ply, answer.offer, key.stones

    lines = [HEADER, f"# {remark}", *map(_line, sorted(answers, key=order))]
    return sealed("".join(f"{line}\n" for line in lines))


def sealed(text: str) -> str:
    """The text with the checksum of what it says, in place of one that it had."""
    lines = text.rstrip("\n").split("\n")
    if _SEAL.fullmatch(f"{lines[-1]}\n"):
        del lines[-1]
    body = "".join(f"{line}\n" for line in lines)
    return f"{body}crc32 {zlib.crc32(body.encode('utf-8')):08x}\n"


@contextmanager
def _naming(path: Path, line: int) -> Iterator[None]:
    """A ValueError inside is a BookError that names file and line."""
    try:
        yield
    except ValueError as error:
        raise BookError(f"book {path}, line {line}: {error}") from error


def _contents(path: Path) -> bytes:
    """All of it, or a little more than a book can have."""
    try:
        if not path.is_file():
            raise BookError(f"book {path} is missing")
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise BookError(f"book {path} cannot be read: {error.strerror}") from error


def _unsealed(path: Path, data: bytes) -> list[str]:
    """The lines between header and checksum; BookError if this is no book or not as it was written."""
    if len(data) > LARGEST_FILE:
        raise BookError(f"book {path} has more than {LARGEST_FILE >> 10} KB")
    # Editors on Windows end lines with both: that is no damage.
    data = data.replace(b"\r\n", b"\n")
    end = data.rfind(b"\n", 0, -1) + 1
    seal = _SEAL.fullmatch(data[end:].decode("ascii", "replace"))
    if not data.startswith(f"{HEADER}\n".encode()):
        raise BookError(f"book {path} does not begin with the line {HEADER}")
    if seal is None or int(seal[1], 16) != zlib.crc32(data[:end]):
        raise BookError(f"book {path} is damaged: its last line is not the checksum of the others")
    return data[:end].decode("utf-8", "replace").split("\n")[1:-1]


def _place(head: str) -> Place:
    """The rule and size that a line begins with; ValueError if there is no such rule or size."""
    name, _, size = head.partition(" ")
    if name not in _RULES:
        raise ValueError(f"'{name[:20]}' is none of the rules {', '.join(_RULES)}")
    sides = re.fullmatch("([1-9][0-9]?)x([1-9][0-9]?)", size)
    if sides is None or not all(core.MIN_SIZE <= int(side) <= core.MAX_SIZE for side in sides.groups()):
        raise ValueError(f"'{size[:20]}' is no size from 5x5 to 32x32")
    return _RULES[name], int(sides[1]), int(sides[2])


def _answer(place: Place, line: str) -> Answer:
    """ValueError when something in the line cannot be."""
    match = _LINE.fullmatch(line) if len(line) <= LONGEST_LINE else None
    if match is None:
        raise ValueError("this is not `rule size stones | move win% simulations | ...`")
    rule, width, height = place
    board = core.Board(width, height, rule)
    stones = [] if match[1] == EMPTY else re.findall(_CELL, match[1])
    if len(stones) > MOST_STONES:
        raise ValueError(f"{len(stones)} stones, more than {MOST_STONES}")
    if match[2] and len(stones) != 3:
        raise ValueError(f"swap2 begins with three stones, not {len(stones)}")
    for name in stones:
        board.play(vacant(board, name))
    onto = onto_key(board)
    lines: dict[int, Line] = {}
    for name, whole, tenth, visits in re.findall(_MOVE, match[3]):
        cell, value = vacant(board, name), (int(whole) * 10 + int(tenth)) / 1000
        if not board.legal(cell):
            raise ValueError(f"{name} is forbidden")
        if value > 1:
            raise ValueError(f"{whole}.{tenth}% is no win rate")
        same = min(symmetry[cell] for symmetry in onto)
        if same in lines:
            raise ValueError(f"{name} has been there before, or the same by symmetry")
        lines[same] = Line(same, value, visits=int(visits))
    return Answer(key_of(board), tuple(lines.values()), bool(match[2]))


def _line(answer: Answer) -> str:
    key = answer.key

    def name(cell: int) -> str:
        return LETTERS.label(core.xy(cell), key.height).lower()

    stones = "".join(map(name, in_turn(key))) or EMPTY
    moves = [f"{name(line.move)} {100 * line.value:.1f}% {line.visits}" for line in answer.lines]
    head = f"{core.RULE_BOOK[key.rule].name} {key.width}x{key.height} {stones}"
    return " | ".join([f"{head} {OFFER}" if answer.offer else head, *moves])


def in_turn(key: PositionKey) -> list[int]:
    """The stones of a position in an order in which they may have been played: black, white, black, ..."""
    black, white = ([cell for cell, colour in key.placed if colour == wanted] for wanted in (core.BLACK, core.WHITE))
    return [cells[at] for at in range(len(black)) for cells in (black, white) if at < len(cells)]
