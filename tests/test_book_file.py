"""The text of an opening book: what is read, what is refused and how it is said; and the shipped one, line by line."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

import cython_core as core
from bench.notation import read_cells
from bench.reference import BLACK, RULES, WHITE, Position, is_foul
from brain.book import Book
from brain.book_file import LARGEST_FILE, LONGEST_LINE, MOST_POSITIONS, BookError, BookFile, sealed, text_of
from brain.position_key import key_of

FREESTYLE_15 = (core.FREESTYLE, 15, 15)
SOUND = """\
renga-book 1
# an example
freestyle 15x15 empty | h8 52.1% 3120
freestyle 15x15 h8 | g9 48.0% 1200 | h9 47.6% 1100
renju 15x15 h8g9 | h10 100.0% 5
freestyle 15x15 c4d6b8 offer | e6 50.2% 900
caro 20x9 h8 | g9 0.0% 1
"""
SHIPPED = Path(__file__).parent.parent / "weights" / "renga.book"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.book"


def book_of(path: Path, text: str) -> BookFile:
    path.write_text(sealed(text), encoding="utf-8", newline="")
    return BookFile(path)


def named(cell: int) -> tuple[int, int]:
    return core.xy(cell)


def test_a_book_says_of_each_position_what_its_line_says(path: Path) -> None:
    book = book_of(path, SOUND)
    assert len(book) == 5 and len(book.places) == 3
    answers = book.answers(FREESTYLE_15)
    board = core.Board(15, 15, core.FREESTYLE)
    (line,) = answers[key_of(board)].lines
    assert named(line.move) == (7, 7) and (line.value, line.visits) == (0.521, 3120)
    board.play(core.cell(7, 7))
    assert [line.value for line in answers[key_of(board)].lines] == [0.48, 0.476]
    assert [answer.key.ply for answer in answers.values() if answer.offer] == [3]
    assert book.answers((core.STANDARD, 15, 15)) == {}


def test_stones_may_be_written_in_any_orientation_and_order(path: Path) -> None:
    keys = set()
    for stones in ("h8g9h10", "h10g9h8", "h8i7h6", "h8i9j8", "f8g7h8"):
        (key,) = book_of(path, f"renga-book 1\nfreestyle 15x15 {stones} | a1 50.0% 1\n").answers(FREESTYLE_15)
        keys.add(key)
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("freestyle 15x15 h8 | h8 50.0% 1", "h8 is taken twice"),
        ("freestyle 15x15 h8h8 | a1 50.0% 1", "h8 is taken twice"),
        ("freestyle 15x15 h8 | p8 50.0% 1", "p8 is off the 15x15 board"),
        ("freestyle 15x15 h16 | h8 50.0% 1", "h16 is off the 15x15 board"),
        ("freestyle 20x9 h8 | h10 50.0% 1", "h10 is off the 20x9 board"),
        ("freestyle 15x15 h8 | g9 50.0% 1 | g9 40.0% 1", "g9 has been there before, or the same by symmetry"),
        ("freestyle 15x15 h8 | g9 50.0% 1 | i7 40.0% 1", "i7 has been there before, or the same by symmetry"),
        ("renju 15x15 h9a1h7a3g8a5i8o15 | h8 50.0% 1", "h8 is forbidden"),
        ("freestyle 15x15 a1b2c3d4e5f6g7h8i9 | k1 50.0% 1", "9 stones, more than 8"),
        ("freestyle 15x15 h8g9 offer | a1 50.0% 1", "swap2 begins with three stones, not 2"),
        ("gomoku 15x15 h8 | g9 50.0% 1", "'gomoku' is none of the rules freestyle, "),
        ("freestyle 15 h8 | g9 50.0% 1", "'15' is no size"),
        ("freestyle 4x15 c3 | b2 50.0% 1", "'4x15' is no size"),
        ("freestyle 15x33 c3 | b2 50.0% 1", "'15x33' is no size"),
        ("freestyle 15x15 h8 | g9 100.1% 1", "100.1% is no win rate"),
        ("freestyle 15x15 h8 | g9 50% 1", "this is not"),
        ("freestyle 15x15 h8 | g9 -5.0% 1", "this is not"),
        ("freestyle 15x15 h8 | g9 50.0% 0", "this is not"),
        ("freestyle 15x15 h8 | g9 50.0% 1234567890", "this is not"),
        ("freestyle 15x15 h8 g9 50.0% 1", "this is not"),
        ("freestyle 15x15 h8", "this is not"),
        ("freestyle 15x15 h8 |", "this is not"),
        ("freestyle 15x15 h8  | g9 50.0% 1", "this is not"),
        ("freestyle 15x15 H8 | g9 50.0% 1", "this is not"),
        ("freestyle 15x15 h8 | g9 50.0% 1 ", "this is not"),
        ("freestyle 15x15 | g9 50.0% 1", "this is not"),
        ("freestyle 15x15 h8" + " | g9 50.0% 1" * LONGEST_LINE, "this is not"),
        ("freestyle 15x15 " + "h8" * LONGEST_LINE + " | g9 50.0% 1", "this is not"),
        ("", "'' is none of the rules"),
    ],
)
def test_a_line_that_cannot_be_is_refused_with_its_number(path: Path, line: str, complaint: str) -> None:
    with pytest.raises(BookError) as refused:
        len(book_of(path, f"renga-book 1\n# a remark\n{line}\n# the end\n"))
    assert str(refused.value).startswith(f"book {path}, line 3: {complaint}")
    assert "\n" not in str(refused.value) and len(str(refused.value)) < len(str(path)) + 200


def test_a_position_comes_once_however_it_is_turned(path: Path) -> None:
    text = "renga-book 1\nfreestyle 15x15 h8g9 | a1 50.0% 1\nrenju 15x15 h8g9 | a1 50.0% 1\n"
    assert len(book_of(path, text)) == 2
    with pytest.raises(BookError, match="line 4: this position has been there before"):
        len(book_of(path, f"{text}freestyle 15x15 h8i7 | o15 50.0% 1\n"))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "does not begin with the line renga-book 1"),
        (b"renga-book 2\n", "does not begin with the line renga-book 1"),
        (b"renga-book 1\n", "is damaged"),
        (sealed("renga-book 1\n").encode()[:-1], "is damaged"),
        (sealed("renga-book 1\n").encode() + b"\n", "is damaged"),
        (sealed("renga-book 1\n").encode().replace(b"crc32", b"CRC32"), "is damaged"),
        (b"renga-book 1\n" + b"#" * LARGEST_FILE, "has more than 1024 KB"),
    ],
)
def test_what_is_no_whole_book_is_refused(path: Path, data: bytes, complaint: str) -> None:
    path.write_bytes(data)
    with pytest.raises(BookError, match=complaint):
        BookFile(path)


def test_a_missing_file_and_a_folder_are_said_by_name(tmp_path: Path) -> None:
    for place in (tmp_path / "none.book", tmp_path):
        with pytest.raises(BookError, match=f"book {place} is missing"):
            BookFile(place)


def test_a_file_that_may_not_be_read_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book_of(path, SOUND)

    def forbidden(file: Path, *rest: object) -> object:
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(BookError, match=r"some\.book cannot be read: Permission denied"):
        BookFile(path)


def test_every_changed_byte_is_found(path: Path) -> None:
    data = sealed(SOUND).encode()
    for at in range(len(data)):
        for other in {data[at] ^ 1, data[at] ^ 32, data[at] ^ 128, 0, 10, 13} - {data[at]}:
            path.write_bytes(data[:at] + bytes([other]) + data[at + 1 :])
            with pytest.raises(BookError):
                BookFile(path)
    for end in range(len(data)):
        path.write_bytes(data[:end])
        with pytest.raises(BookError):
            BookFile(path)


def test_line_ends_of_windows_are_no_damage(path: Path) -> None:
    path.write_bytes(sealed(SOUND).replace("\n", "\r\n").encode())
    assert len(BookFile(path)) == 5


def test_a_checksum_takes_the_place_of_another_one() -> None:
    assert sealed(sealed(SOUND) + "\n\n") == sealed(SOUND) == sealed(SOUND.rstrip()) != SOUND
    body, last = sealed(SOUND).rsplit("crc32 ")
    assert body == SOUND and int(last, 16) == zlib.crc32(SOUND.encode())


def test_what_was_written_is_read_and_written_again_the_same(path: Path) -> None:
    first = book_of(path, SOUND)
    text = text_of((answer for place in first.places for answer in first.answers(place).values()), "again")
    second = book_of(path, text)
    assert {place: second.answers(place) for place in second.places} == {
        place: first.answers(place) for place in first.places
    }
    answers = [answer for place in second.places for answer in second.answers(place).values()]
    assert text_of(reversed(answers), "again") == text


def shipped_lines() -> list[list[str]]:
    """Read without our reader: the head, then the moves."""
    return [line.split(" | ") for line in SHIPPED.read_text().splitlines()[1:-1] if not line.startswith("#")]


def test_every_line_of_the_shipped_book_is_legal_by_rules_of_another_make() -> None:
    numbers = dict(zip(("freestyle", "standard", "renju", "caro-overline", "caro"), RULES, strict=True))
    for head, *moves in shipped_lines():
        rule, size, stones, *offer = head.split()
        width, height = map(int, size.split("x"))
        spaced = "".join(f" {mark}" if mark.isalpha() else mark for mark in stones)
        position = Position(width, height, numbers[rule])
        for cell in read_cells("" if stones == "empty" else spaced, height):
            assert not (position.side == BLACK and is_foul(position, cell))
            position = position.with_stone(cell, position.side)
        assert not offer or (len(position.stones), position.side) == (3, WHITE)
        assert moves
        for move in moves:
            (cell,) = read_cells(move.split()[0], height)
            assert position.is_empty(cell)
            assert not (position.side == BLACK and is_foul(position, cell))


def test_the_shipped_book_is_small_sound_and_has_every_rule() -> None:
    book = Book().open()
    assert len(book) == len(shipped_lines())
    assert SHIPPED.stat().st_size < 100_000
    for rule in core.RULES:
        answers = book.answers((rule, 15, 15))
        assert key_of(core.Board(15, 15, rule)) in answers
        assert sum(answer.offer for answer in answers.values()) >= 4


def test_a_book_that_takes_longer_to_read_than_a_first_move_is_refused(path: Path) -> None:
    """A megabyte of one rule and size took 1.2 s of processor time, in which not even END was heard."""
    line = "freestyle 15x15 h8 | g9 50.0% 1\n"
    book_of(path, "renga-book 1\n" + line * MOST_POSITIONS + line.replace("15x15", "20x20"))
    with pytest.raises(BookError, match=f"line {MOST_POSITIONS + 2}: more than {MOST_POSITIONS} positions"):
        book_of(path, "renga-book 1\n" + line * (MOST_POSITIONS + 1))
