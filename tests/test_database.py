"""The database: the same up to symmetry, safe under a kill, read back from text as it was written."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import cython_core as core
from brain import database as database_module
from brain import database_text
from brain.database import Database
from brain.knowledge import DatabaseError, Entry, Record
from brain.notation import LETTERS, Notation, named
from brain.position_key import key_of, keys_after
from brain.symmetry import symmetries

STONES = ((7, 7), (8, 8), (7, 9), (6, 8), (9, 3))


def position(*cells: tuple[int, int], width: int = 15, height: int = 15, rule: int = core.FREESTYLE) -> core.Board:
    board = core.Board(width, height, rule)
    for x, y in cells:
        board.play(core.cell(x, y))
    return board


def turned(board: core.Board, number: int) -> core.Board:
    """The position in another orientation, its stones in another order."""
    symmetry = symmetries(board.width, board.height)[number]
    stones = [(symmetry[cell], colour) for cell, colour in board.history]
    random.Random(number).shuffle(stones)
    other = core.Board(board.width, board.height, board.rule)
    for cell, colour in stones:
        other.put(cell, colour)
    other.settle()
    other.side = board.side
    return other


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(str(tmp_path / "positions.db"))


@pytest.mark.parametrize("height", [15, 13])
def test_all_orientations_are_one_position_and_others_are_not(database: Database, height: int) -> None:
    board = position(*STONES, height=height)
    database.put(board, Record(0.625, None, 12, comment="a knot"))
    for number in range(len(symmetries(15, height))):
        assert database.find(turned(board, number)) == Record(0.625, None, 12, comment="a knot")
    assert len(database) == 1
    other_side, other_rule = board.copy(), position(*STONES, height=height, rule=core.RENJU)
    other_side.side = 1 - board.side
    for other in (position(*STONES[:4], height=height), other_side, other_rule):
        assert database.find(other) is None


def test_a_key_is_the_position_again() -> None:
    board = position(*STONES)
    again = key_of(board).board()
    assert key_of(again) == key_of(board)
    assert sorted(colour for _, colour in again.history) == [0, 0, 0, 1, 1] and again.side == core.WHITE
    cell = core.cell(2, 2)
    after = board.copy()
    after.play(cell)
    assert keys_after(board, [cell]) == {cell: key_of(after)}
    assert key_of(after).follows(board) and key_of(board).follows(board) and not key_of(board).follows(after)


def test_children_are_found_whatever_their_orientation(database: Database) -> None:
    board = position((7, 7), (7, 6))
    after = board.copy()
    after.play(core.cell(6, 5))
    database.put(turned(after, 3), Record(0.4))
    assert database.children(board) == {core.cell(6, 5): Record(0.4), core.cell(8, 5): Record(0.4)}


def test_better_knowledge_stays_and_peoples_words_are_kept(database: Database) -> None:
    board = position(*STONES)
    key = key_of(board)
    database.put(board, Record(0.5, None, 10, "X", "mine"))

    def learn(record: Record) -> Record | None:
        database.add([Entry(key, record)])
        return database.find(board)

    assert learn(Record(0.9, None, 4)) == Record(0.5, None, 10, "X", "mine")
    assert learn(Record(0.7, None, 11)) == Record(0.7, None, 11, "X", "mine")
    assert learn(Record(1.0, 9, 3)) == Record(1.0, 9, 3, "X", "mine")
    assert learn(Record(0.2, None, 99, comment="newer")) == Record(1.0, 9, 3, "X", "newer")


def test_labels_follow_the_symmetries_of_their_position(database: Database) -> None:
    straight = position((7, 7), (7, 6))  # the same on the left and on the right
    database.set_label(straight, core.cell(9, 4), "A")
    assert database.labels(straight) == {core.cell(9, 4): "A", core.cell(5, 4): "A"}
    lying = position((7, 7), (6, 7))
    assert database.labels(lying) == {core.cell(4, 9): "A", core.cell(4, 5): "A"}
    database.set_label(lying, core.cell(4, 5), "")
    assert database.labels(straight) == {}
    assert database.find(straight) == Record()


def test_positions_are_deleted_with_what_follows_on_them(database: Database) -> None:
    root = position((7, 7), (8, 8))
    lost, open_one, below_lost, elsewhere = (
        position((7, 7), (8, 8), (3, 3)),
        position((7, 7), (8, 8), (9, 9)),
        position((7, 7), (8, 8), (3, 3), (4, 9), (5, 1)),
        position((7, 7), (7, 8), (9, 9)),
    )
    for board in (root, open_one, below_lost, elsewhere):
        database.put(board, Record(0.5))
    database.put(lost, Record(1.0, 7))
    assert database.delete_below(root, lambda record: record.proof is not None, deep=False) == 2
    assert database.find(lost) is None and database.find(below_lost) is None
    assert len(database) == 3
    assert database.delete_below(root) == 1
    assert database.delete(root) and not database.delete(root)
    assert database.find(elsewhere) == Record(0.5) and len(database) == 1


def test_merge_and_split(database: Database, tmp_path: Path) -> None:
    root, below, beside = position((7, 7)), position((7, 7), (3, 4), (1, 1)), position((2, 2), (12, 3))
    for depth, board in enumerate((root, below, beside)):
        database.put(board, Record(0.5, None, depth))
    database.set_label(below, core.cell(0, 5), "here")
    assert database.split(root, str(tmp_path / "part.db")) == 2
    with pytest.raises(DatabaseError, match=r"part\.db' is there already"):
        database.split(root, str(tmp_path / "part.db"))
    part = Database(str(tmp_path / "part.db"))
    assert part.labels(below) == {core.cell(0, 5): "here"}
    part.put(below, Record(0.0, -4, 1))
    part.close()
    assert database.merge(str(tmp_path / "part.db")) == 2
    assert database.find(below) == Record(0.0, -4, 1) and len(database) == 3
    with pytest.raises(DatabaseError, match=r"no file .*nowhere\.db"):
        database.merge(str(tmp_path / "nowhere.db"))


def test_text_is_read_back_as_it_was_written(database: Database, tmp_path: Path) -> None:
    knot, wide = position(*STONES), position((30, 2), (3, 4), width=31, height=9, rule=core.CARO)
    database.put(knot, Record(0.25, None, 17, "Z", 'two lines,\n"quoted" \u56db'))
    database.put(wide, Record(1.0, 5, 5))
    database.set_label(knot, core.cell(0, 0), "50% of it")
    text = str(tmp_path / "positions.csv")
    assert database_text.write(database, text) == 2
    other = Database(str(tmp_path / "other.db"))
    assert database_text.read(other, text) == 2
    assert list(other.entries()) == list(database.entries())
    assert other.labels(knot) == {core.cell(0, 0): "50% of it"}
    assert database_text.write(database, text, (core.CARO, 31, 9)) == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("0,15,15,black,h8,h8,,,0,,,", "entry 2: h8 is taken twice"),
        ("0,15,15,black,h16,,,,0,,,", "entry 2: h16 is off the 15x15 board"),
        ("0,15,15,black,hh,,,,0,,,", "entry 2: 'hh' is no cell such as h8"),
        ("3,15,15,black,,,,,0,,,", "entry 2: no rule 3 on 15x15"),
        ("0,15,15,black,,,1.5,,0,,,", r"entry 2: 1\.5 is no win rate"),
        ("0,15,15,nobody,,,,,0,,,", "entry 2: 'nobody' is not in list"),
        ("0,15,15", "entry 2: 3 fields instead of 12"),
        ("0,15,15,black,,,,,99999999999999999999,,,", "entry 2: 99999999999999999999 is no depth"),
        ("0,15,15,black,,,,,-1,,,", "entry 2: -1 is no depth"),
        ("0,15,15,black,,,,99999999999999999999,0,,,", "entry 2: 99999999999999999999 is no proof"),
        ("0,15,15,black,,,,,0,two,,", "entry 2: 'two' is no tag"),
        ("0,15,15,black,,,,,0,\u56db,,", "entry 2: '\u56db' is no tag"),
        ("0,15,15,black,,,,,0,," + "a" * (9 << 20) + ",", "field larger than field limit"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_taken(
    database: Database, tmp_path: Path, line: str, complaint: str
) -> None:
    text = tmp_path / "bad.csv"
    text.write_text(",".join(database_text.HEADER) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(DatabaseError, match=complaint):
        database_text.read(database, str(text))
    assert len(database) == 0


def test_a_cell_may_have_as_long_a_text_as_a_manager_can_send(database: Database, tmp_path: Path) -> None:
    board = position((0, 0), (1, 2))
    for x in range(3, 8):
        database.set_label(board, core.cell(x, 5), "x" * 65_000)
    text = str(tmp_path / "long.csv")
    assert database_text.write(database, text) == 1
    other = Database(str(tmp_path / "other.db"))
    assert database_text.read(other, text) == 1
    assert other.labels(board) == database.labels(board)


def test_files_that_are_no_database_are_left_alone(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, " * 100, encoding="utf-8")
    with pytest.raises(DatabaseError, match=r"letter\.txt"):
        Database(str(letter))
    assert letter.read_text(encoding="utf-8") == "Dear reader, " * 100
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as file:
        file.execute("CREATE TABLE other (x)")
    with pytest.raises(DatabaseError, match="no database of Renga"):
        Database(str(foreign))
    with pytest.raises(DatabaseError, match="unable to open"):
        Database(str(tmp_path / "no" / "such" / "folder.db"))


WRITER = """
import sys
import cython_core as core
from brain.database import Database, Record
database = Database(sys.argv[1])
for number in range(10**6):
    board = core.Board(32, 32, 0)
    board.play(core.cell(0, 0))
    board.play(core.cell(1 + number % 31, number // 31 % 32))
    database.put(board, Record(0.5, None, number, comment="x" * 1000))
    print(number, flush=True)
"""


@pytest.mark.parametrize("column, values", {
    "value": ("high", 1.5, b"x"), "proof": ("mate", 2.5, 5000), "depth": ("deep",), "tag": (b"W",), "comment": (b"x",),
}.items())  # fmt: skip
def test_a_row_that_somebody_has_spoilt_is_said_to_be_damaged(
    database: Database, column: str, values: tuple[object, ...]
) -> None:
    board = position(*STONES)
    database.put(board, Record(0.5, 7, 12))
    last = board.copy()
    last.undo()
    for value in values:
        with sqlite3.connect(database.path) as file:
            file.execute(f"UPDATE position SET {column} = ?", (value,))
        for question in (lambda: database.find(board), lambda: database.children(last), lambda: [*database.entries()]):
            with pytest.raises(DatabaseError, match="is damaged: it says"):
                question()


@pytest.mark.parametrize("column, values", {
    "stones": ("ab", b"", b"\0", b"\xff\xff\0\0", b"\0\0\0\0\0\0", b"\0\0\0\x05"), "rule": (3, "renju"),
    "width": (4, 99, 15.5), "height": (-1, 10**12),
}.items())  # fmt: skip
def test_a_row_that_is_no_position_is_named(database: Database, column: str, values: tuple[object, ...]) -> None:
    database.put(position(*STONES), Record(0.5))
    for value in values:
        with sqlite3.connect(database.path) as file:
            file.execute(f"UPDATE position SET {column} = ?", (value,))
        with pytest.raises(DatabaseError, match="is damaged: its row 1 is no position"):
            list(database.entries())


def test_a_killed_process_loses_nothing_that_was_said(tmp_path: Path) -> None:
    path = str(tmp_path / "killed.db")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent
    )
    assert writer.stdout is not None
    for _ in range(100):
        said = int(writer.stdout.readline())
    writer.kill()
    writer.wait(30)
    said = max([said, *map(int, writer.stdout.read().split())])
    assert writer.returncode == -signal.SIGKILL
    again = Database(path)
    assert again.check() == "ok"
    assert said >= 99
    depths = {entry.record.depth for entry in again.entries()}
    assert max(depths) in (said, said + 1)  # what was being written when it died may be there
    assert {entry.record.comment for entry in again.entries()} == {"x" * 1000}


def test_a_file_that_somebody_else_writes_is_waited_for_and_then_complained_of(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_S", 0.05)
    second = Database(database.path)
    with database._file:
        database._file.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError, match="locked"):
            second.put(position((7, 7)), Record(0.5))
    second.put(position((7, 7)), Record(0.5))
    assert database.find(position((7, 7))) == Record(0.5)


def test_names_of_cells() -> None:
    assert LETTERS.labels([(7, 7), (0, 14), (25, 0), (26, 0)], 15) == "H8 A1 Z15 AA15"
    assert Notation(transposed=True).label((6, 8), 15) == "I9"
    assert Notation(numbers=True).label((6, 8), 15) == "6,8"
    for x in range(32):
        assert named(LETTERS.label((x, 3), 32), 32) == (x, 3)
    for text in ("", "h", "8", "h0", "hhh8", "h100", "h8 "):
        with pytest.raises(ValueError, match="no cell"):
            named(text, 15)
