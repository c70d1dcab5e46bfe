"""A database as a text file, one position per line: to read, to edit, to keep under version control, to read back.

Comma-separated values with a header line. Cells are in people's notation, each position in one of its orientations.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import cython_core as core
from brain.database import Database
from brain.knowledge import DatabaseError, Entry, Record
from brain.notation import LETTERS, vacant
from brain.position_key import key_of, onto_key

HEADER = ["rule", "width", "height", "turn", "black", "white", "win_rate", "proof", "depth", "tag", "comment", "labels"]
TURNS = ["black", "white"]
LONGEST_FIELD = 8 << 20
"""Characters: room for a long text on every cell."""
DEEPEST = 10**9


def write(database: Database, path: str, place: tuple[int, int, int] | None = None) -> int:
    """Writes all positions, or those of one rule, width and height. How many."""
    count = 0
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(HEADER)
            for entry in database.entries():
                key = entry.key
                if place is None or place == (key.rule, key.width, key.height):
                    rows.writerow(_row(entry))
                    count += 1
    except OSError as error:
        raise DatabaseError(f"'{path}' cannot be written: {error.strerror}") from error
    return count


def read(database: Database, path: str) -> int:
    """Adds the positions of a text file, all or none; DatabaseError names the first bad line. How many came."""
    csv.field_size_limit(LONGEST_FIELD)
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            return database.add(list(_entries(path, csv.reader(file))))
    except OSError as error:
        raise DatabaseError(f"'{path}' cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatabaseError(f"'{path}' is no text in UTF-8") from error
    except csv.Error as error:
        raise DatabaseError(f"'{path}': {error}") from error


def _row(entry: Entry) -> list[object]:
    key, record = entry.key, entry.record

    def name(cell: int) -> str:
        return LETTERS.label(core.xy(cell), key.height).lower()

    stones = [
        " ".join(name(cell) for cell, colour in key.placed if colour == wanted)
        for wanted in (core.BLACK, core.WHITE)
    ]  # fmt: skip
    labels = " ".join(f"{name(cell)}={text.replace('%', '%25').replace(' ', '%20')}" for cell, text in entry.labels)
    value = "" if record.value is None else f"{record.value:.4f}"
    proof = "" if record.proof is None else record.proof
    return [
        key.rule, key.width, key.height, TURNS[key.side], *stones,
        value, proof, record.depth, record.tag, record.comment, labels,
    ]  # fmt: skip


def _entries(path: str, rows: Iterable[list[str]]) -> Iterator[Entry]:
    lines = iter(rows)
    if next(lines, None) != HEADER:
        raise DatabaseError(f"'{path}' does not begin with the line {','.join(HEADER)}")
    for number, row in enumerate(lines, 2):
        try:
            yield _entry(row)
        except ValueError as error:
            raise DatabaseError(f"'{path}', entry {number}: {error}") from error


def _entry(row: list[str]) -> Entry:
    """ValueError when something in it cannot be."""
    if len(row) != len(HEADER):
        raise ValueError(f"{len(row)} fields instead of {len(HEADER)}")
    rule, width, height = (int(text) for text in row[:3])
    if rule not in core.RULES or not all(core.MIN_SIZE <= size <= core.MAX_SIZE for size in (width, height)):
        raise ValueError(f"no rule {rule} on {width}x{height}")
    board = core.Board(width, height, rule)
    for colour, names in ((core.BLACK, row[4]), (core.WHITE, row[5])):
        for name in names.split():
            board.put(vacant(board, name), colour)
    board.settle()
    board.side = TURNS.index(row[3])
    value, proof = (float(row[6]) if row[6] else None), (int(row[7]) if row[7] else None)
    if value is not None and not 0 <= value <= 1:
        raise ValueError(f"{row[6]} is no win rate")
    if proof is not None and abs(proof) > core.MAX_SIZE**2:
        raise ValueError(f"{row[7]} is no proof")
    if not 0 <= (depth := int(row[8])) < DEEPEST:
        raise ValueError(f"{row[8]} is no depth")
    if not re.fullmatch("[!-~]?", row[9]):
        raise ValueError(f"'{row[9]}' is no tag")
    onto = onto_key(board)
    labels = {}
    for item in row[11].split():
        name, _, text = item.partition("=")
        cell = vacant(board, name)
        labels[min(symmetry[cell] for symmetry in onto)] = text.replace("%20", " ").replace("%25", "%")
    return Entry(key_of(board), Record(value, proof, depth, row[9], row[10]), tuple(labels.items()))
