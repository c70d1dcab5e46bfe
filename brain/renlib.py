"""RenLib's .lib files, read into a database: a tree of moves on 15x15 with comments and texts on cells.

After a header of 20 bytes each move is two bytes: its cell (row in the upper four bits, column from 1 in the lower;
0 is a root without a stone) and flags; its texts follow. The first child of a move comes right after it, its next
sibling after all of its descendants. Texts end with a zero byte and fill up to an even number of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cython_core as core
from brain.database import Database
from brain.knowledge import DatabaseError, Entry, Record
from brain.position_key import key_of, onto_key

SIZE = 15
MAGIC, HEADER_BYTES = b"\xffRenLib\xff", 20
SIBLING, NO_CHILD, OLD_COMMENT, COMMENT, EXTENSION = 0x80, 0x40, 0x20, 0x08, 0x01
CELL_TEXT = 0x0100
"""Of the two bytes that follow where EXTENSION is set."""


@dataclass(frozen=True, slots=True)
class Node:
    """A move of the tree."""

    path: tuple[int, ...]
    """Cells from the root, this move last; empty for a root without a stone."""
    comment: str
    cell_text: str
    """Written onto the cell of the last move, in the position before it."""


def read(database: Database, path: str, rule: int) -> int:
    """Adds all positions of a file under a rule; DatabaseError names what is wrong and where. How many came."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DatabaseError(f"'{path}' cannot be read: {error.strerror}") from error
    try:
        return database.add([entry for node in nodes(data) for entry in _entries(node, rule)])
    except ValueError as error:
        raise DatabaseError(f"'{path}': {error}") from error


def nodes(data: bytes) -> Iterator[Node]:
    """The moves of a file in its order; ValueError says what is wrong and where."""
    if not data.startswith(MAGIC) or len(data) < HEADER_BYTES:
        raise ValueError("no RenLib file")
    at = HEADER_BYTES
    waiting: list[tuple[int, ...]] = []
    before: tuple[int, ...] = ()
    while True:
        begin = at
        if at + 2 > len(data):
            raise ValueError(f"ends in the middle of its moves, at byte {at}")
        move, flags = data[at : at + 2]
        at += 2
        comment = cell_text = ""
        extension = 0
        if flags & EXTENSION:
            extension = int.from_bytes(data[at : at + 2], "little")
            at += 2
        if flags & (COMMENT | OLD_COMMENT):
            comment, at = _text(data, at)
        if extension & CELL_TEXT:
            cell_text, at = _text(data, at)
        row, column = divmod(move, 16)
        if move and not (row < SIZE and 1 <= column <= SIZE):
            raise ValueError(f"no cell of 15x15 at byte {begin}")
        path = (*before, core.cell(column - 1, row)) if move else before
        if len(set(path)) < len(path):
            raise ValueError(f"a second stone on the same cell at byte {begin}")
        yield Node(path, comment, cell_text)
        if flags & SIBLING:
            waiting.append(before)
        if not flags & NO_CHILD:
            before = path
        elif waiting:
            before = waiting.pop()
        else:
            return


def _text(data: bytes, begin: int) -> tuple[str, int]:
    """A text and where it is over."""
    end = data.find(b"\0", begin)
    if end < 0:
        raise ValueError(f"a text without an end at byte {begin}")
    length = end + 1 - begin
    raw = data[begin:end].replace(b"\r\n", b"\n")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")  # older than UTF-8; the byte values at least are kept
    return text.strip(), begin + length + length % 2


def _entries(node: Node, rule: int) -> Iterator[Entry]:
    board = core.Board(SIZE, SIZE, rule)
    for cell in node.path[:-1]:
        board.play(cell)
    if node.path:
        last = node.path[-1]
        if node.cell_text:
            least = min(symmetry[last] for symmetry in onto_key(board))
            yield Entry(key_of(board), Record(), ((least, node.cell_text),))
        board.play(last)
    yield Entry(key_of(board), Record(comment=node.comment))
