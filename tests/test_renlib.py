"""RenLib files: a tree read as it was drawn, and what is wrong with a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

import cython_core as core
from brain import renlib
from brain.database import Database
from brain.knowledge import DatabaseError, Record

HEADER = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10


def move(x: int, y: int, flags: int) -> bytes:
    return bytes([y * 16 + x + 1, flags])


TREE = (
    HEADER
    + move(7, 7, renlib.COMMENT) + b"the centre\0\0"
    + move(7, 6, renlib.SIBLING)
    + move(8, 5, renlib.SIBLING | renlib.NO_CHILD | renlib.EXTENSION | renlib.COMMENT) + b"\x00\x01" + b"odd\0" + b"A\0"
    + move(9, 5, renlib.NO_CHILD)
    + move(8, 6, renlib.NO_CHILD | renlib.COMMENT) + "F\u00fcnf".encode("latin-1") + b"\r\n!\0"
)  # fmt: skip
"""H8, commented; H9 with I10 (text A on it) and J10; I9 beside H9."""


def position(*cells: tuple[int, int]) -> core.Board:
    board = core.Board(15, 15, core.RENJU)
    for x, y in cells:
        board.play(core.cell(x, y))
    return board


def test_a_tree_becomes_positions_comments_and_labels(tmp_path: Path) -> None:
    file = tmp_path / "tree.lib"
    file.write_bytes(TREE)
    database = Database(str(tmp_path / "tree.db"))
    assert renlib.read(database, str(file), core.RENJU) == 6
    assert len(database) == 5
    assert database.find(position((7, 7))) == Record(comment="the centre")
    assert database.find(position((7, 7), (7, 6))) == Record()
    assert database.find(position((7, 7), (7, 6), (8, 5))) == Record(comment="odd")
    assert database.find(position((7, 7), (7, 6), (9, 5))) == Record()
    assert database.find(position((7, 7), (8, 6))) == Record(comment="F\u00fcnf\n!")
    assert database.labels(position((7, 7), (7, 6))) == {core.cell(8, 5): "A", core.cell(6, 5): "A"}


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"hello", "no RenLib file"),
        (HEADER, "ends in the middle of its moves, at byte 20"),
        (HEADER + move(7, 7, 0), "ends in the middle of its moves, at byte 22"),
        (HEADER + b"\xf8\x40", "no cell of 15x15 at byte 20"),
        (HEADER + move(7, 7, renlib.COMMENT) + b"for ever", "a text without an end at byte 22"),
        (HEADER + move(7, 7, 0) + move(7, 7, renlib.NO_CHILD), "a second stone on the same cell at byte 22"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_taken(tmp_path: Path, data: bytes, complaint: str) -> None:
    file = tmp_path / "bad.lib"
    file.write_bytes(data)
    database = Database(str(tmp_path / "bad.db"))
    with pytest.raises(DatabaseError, match=rf"bad\.lib.*{complaint}"):
        renlib.read(database, str(file), core.RENJU)
    assert len(database) == 0
