"""Positions that are remembered in a file: what a search or a person has said of them, the same up to symmetry.

One SQLite file. Every change is a transaction, so that a process may be killed at any moment, and several processes
may share the file. Its text form is `database_text`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import cython_core as core
from brain.knowledge import DatabaseBusyError, DatabaseError, Entry, Record
from brain.position_key import PositionKey, key_of, keys_after, onto_key

APPLICATION_ID = 0x52454E47
"""Marks a file as one of ours: "RENG"."""
BUSY_S = 2.0
"""How long to wait for another process that is writing."""
BATCH = 500
"""Keys of one question: old versions of SQLite allow 999 values in it."""

_TABLES = f"""
CREATE TABLE IF NOT EXISTS position (
    id INTEGER PRIMARY KEY,
    rule INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, stones BLOB NOT NULL,
    value REAL, proof INTEGER, depth INTEGER NOT NULL, tag TEXT NOT NULL, comment TEXT NOT NULL,
    UNIQUE (rule, width, height, stones)
);
CREATE TABLE IF NOT EXISTS label (
    position INTEGER NOT NULL REFERENCES position ON DELETE CASCADE,
    cell INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (position, cell)
);
PRAGMA application_id = {APPLICATION_ID};
"""
_FIELDS = "value, proof, depth, tag, comment"
_PLACE = "rule = ? AND width = ? AND height = ?"


class Database:
    """An open file, made when there is none. Every verb may raise DatabaseError."""

    def __init__(self, path: str) -> None:
        self.path = path
        with self._guard():
            self._file = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            (mark,) = self._one("PRAGMA application_id")
            (tables,) = self._one("SELECT count(*) FROM sqlite_master")
            if tables and mark != APPLICATION_ID:
                raise DatabaseError(f"'{path}' is no database of Renga")
            self._one("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.execute("PRAGMA foreign_keys = ON")
            if not tables:
                self._file.executescript(_TABLES)

    def close(self) -> None:
        """Everything is in the one file then, unless another process has it open."""
        self._file.close()

    def __len__(self) -> int:
        (count,) = self._one("SELECT count(*) FROM position")
        return int(count)

    # Positions

    def find(self, board: core.Board) -> Record | None:
        """What is known of a position; None when it is not there."""
        key = key_of(board)
        return self._known([key]).get(key)

    def children(self, board: core.Board) -> dict[int, Record]:
        """What is known of the positions after each legal move."""
        keys = keys_after(board, board.legal_cells())
        known = self._known(set(keys.values()))
        return {cell: known[key] for cell, key in keys.items() if key in known}

    def put(self, board: core.Board, record: Record) -> None:
        """Replaces what is known of a position; its labels stay."""
        self._write([Entry(key_of(board), record)])

    def delete(self, board: core.Board) -> bool:
        """Forgets one position; False when it was not there."""
        return self._forget({key_of(board)}) > 0

    def delete_below(
        self, board: core.Board, wanted: Callable[[Record], bool] = lambda record: True, deep: bool = True
    ) -> int:
        """Forgets the positions that may follow on this one and are `wanted`, with all that may follow on those. Unless
        `deep` only its direct followers are asked. How many were forgotten."""
        own = key_of(board)
        below = [entry for entry in self.entries() if entry.key != own and entry.key.follows(board)]
        doomed = {
            entry.key for entry in below if wanted(entry.record) and (deep or entry.key.ply == len(board.history) + 1)
        }
        if len(doomed) < len(below):
            tops = [key.board() for key in doomed]
            doomed.update(entry.key for entry in below if any(entry.key.follows(top) for top in tops))
        return self._forget(doomed)

    # Labels: short texts on the cells of a position

    def set_label(self, board: core.Board, cell: int, text: str) -> None:
        """Writes a text onto a cell, or removes it when the text is empty."""
        least = min(symmetry[cell] for symmetry in onto_key(board))
        self._write([Entry(key_of(board), self.find(board) or Record(), ((least, text),))])

    def labels(self, board: core.Board) -> dict[int, str]:
        """The texts by cell; cells that are the same by symmetry have the same text."""
        key = key_of(board)
        rows = self._all(
            f"SELECT cell, text FROM label JOIN position ON position = id WHERE {_PLACE} AND stones = ?",
            *_columns(key),
        )  # fmt: skip
        back = [{to: cell for cell, to in symmetry.items()} for symmetry in onto_key(board)]
        return {symmetry[cell]: text for cell, text in rows for symmetry in back}

    # The whole file

    def entries(self) -> Iterator[Entry]:
        """Every position with its labels, those with fewer stones first."""
        labels: dict[int, list[tuple[int, str]]] = {}
        for position, cell, text in self._all("SELECT position, cell, text FROM label ORDER BY position, cell"):
            labels.setdefault(position, []).append((cell, text))
        rows = self._all(
            f"SELECT id, rule, width, height, stones, {_FIELDS} FROM position"
            " ORDER BY rule, width, height, length(stones), stones"
        )
        for number, rule, width, height, stones, *fields in rows:
            key = PositionKey(rule, width, height, stones)
            if not key.sound:
                raise DatabaseError(f"'{self.path}' is damaged: its row {number} is no position")
            yield Entry(key, self._record(fields), tuple(labels.get(number, ())))

    def add(self, entries: Iterable[Entry]) -> int:
        """Adds positions from elsewhere, all or none; the better result stays. How many came."""
        news = list(entries)
        known = self._known({entry.key for entry in news})
        merged = []
        for entry in news:
            known[entry.key] = known.get(entry.key, Record()).improved_by(entry.record)
            merged.append(replace(entry, record=known[entry.key]))
        self._write(merged)
        return len(news)

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Inside, another process that is writing is waited for only this long: DatabaseBusyError."""
        self._one(f"PRAGMA busy_timeout = {round(1000 * seconds)}")
        try:
            yield
        finally:
            self._one(f"PRAGMA busy_timeout = {round(1000 * BUSY_S)}")

    def merge(self, path: str) -> int:
        """Adds all positions of another database."""
        if not Path(path).is_file():
            raise DatabaseError(f"there is no file '{path}'")
        with closing(Database(path)) as other:
            return self.add(other.entries())

    def split(self, board: core.Board, path: str) -> int:
        """Copies the position and all that may follow on it into a new database."""
        if Path(path).exists():
            raise DatabaseError(f"'{path}' is there already")
        with closing(Database(path)) as other:
            return other.add(entry for entry in self.entries() if entry.key.follows(board))

    def save(self) -> int:
        """Brings everything into the one file. Nothing was in danger before. How many positions it has."""
        self._all("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(self)

    def check(self) -> str:
        """`ok`, or the first thing that is wrong with the file."""
        (found,) = self._one("PRAGMA integrity_check(1)")
        return str(found)

    # Inside

    def _known(self, keys: Iterable[PositionKey]) -> dict[PositionKey, Record]:
        wanted: dict[tuple[int, int, int], list[bytes]] = {}
        for key in keys:
            wanted.setdefault((key.rule, key.width, key.height), []).append(key.stones)
        known = {}
        for place, stones in wanted.items():
            for begin in range(0, len(stones), BATCH):
                part = stones[begin : begin + BATCH]
                marks = ", ".join("?" * len(part))
                question = f"SELECT stones, {_FIELDS} FROM position WHERE {_PLACE} AND stones IN ({marks})"
                for found, *fields in self._all(question, *place, *part):
                    known[PositionKey(*place, found)] = self._record(fields)
        return known

    def _record(self, fields: Sequence[Any]) -> Record:
        """What a row says; SQLite keeps whatever other programs have written into a column."""
        value, proof, depth, tag, comment = fields
        if not (
            (value is None or (isinstance(value, float) and 0 <= value <= 1))
            and (proof is None or (isinstance(proof, int) and abs(proof) <= core.MAX_SIZE**2))
            and isinstance(depth, int) and isinstance(tag, str) and isinstance(comment, str)
        ):  # fmt: skip
            raise DatabaseError(f"'{self.path}' is damaged: it says {fields} of a position")
        return Record(value, proof, depth, tag, comment)

    def _write(self, entries: Iterable[Entry]) -> None:
        with self._guard(), self._file:
            self._file.execute("BEGIN IMMEDIATE")
            for entry in entries:
                record = entry.record
                (position,) = self._file.execute(
                    f"INSERT INTO position (rule, width, height, stones, {_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT (rule, width, height, stones) DO UPDATE SET value = excluded.value,"
                    " proof = excluded.proof, depth = excluded.depth, tag = excluded.tag, comment = excluded.comment"
                    " RETURNING id",
                    (*_columns(entry.key), record.value, record.proof, record.depth, record.tag, record.comment),
                ).fetchone()
                for cell, text in entry.labels:
                    self._file.execute("DELETE FROM label WHERE position = ? AND cell = ?", (position, cell))
                    if text:
                        self._file.execute("INSERT INTO label VALUES (?, ?, ?)", (position, cell, text))

    def _forget(self, keys: Iterable[PositionKey]) -> int:
        with self._guard(), self._file:
            self._file.execute("BEGIN IMMEDIATE")
            statement = f"DELETE FROM position WHERE {_PLACE} AND stones = ?"
            return self._file.executemany(statement, [_columns(key) for key in keys]).rowcount

    def _all(self, question: str, *values: object) -> list[Any]:
        with self._guard():
            return self._file.execute(question, values).fetchall()

    def _one(self, question: str) -> Any:
        (row,) = self._all(question)
        return row

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """The only place where SQLite's own errors end."""
        try:
            yield
        except sqlite3.Error as error:
            # Those that Python itself raises have no code. The lower byte is the kind.
            busy = getattr(error, "sqlite_errorcode", 0) & 255 == sqlite3.SQLITE_BUSY
            raise (DatabaseBusyError if busy else DatabaseError)(f"'{self.path}': {error}") from error


def _columns(key: PositionKey) -> tuple[int, int, int, bytes]:
    return key.rule, key.width, key.height, key.stones
