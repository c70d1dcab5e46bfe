"""What a database of positions means to a game: moves to play at once, moves to avoid, results to keep.

SQLite is loaded when a file is named, not before: small packages do without it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import cython_core as core
from brain.knowledge import DatabaseBusyError, DatabaseError, Entry, Record
from brain.position_key import key_of
from brain.records import Analysis

if TYPE_CHECKING:
    from brain.database import Database


LEARNING_WAIT_S = 0.02
"""How long a move waits for another process that is writing to the database."""
MOST_LATE = 1000
"""Positions that are kept until it is done; the oldest are forgotten."""


class Library:
    """At most one open database, and the game's use of it. One that fails in a game is closed, with a message."""

    def __init__(self, say: Callable[[str], None] = lambda text: None) -> None:
        self._say = say
        self.database: Database | None = None
        self._late: list[Entry] = []
        """What could not be written yet, because another process was writing."""

    def open(self, path: str) -> Database:
        """Takes the database in this file instead of the one before, which stays if that cannot be: DatabaseError."""
        opened = _database_class()(path)
        self.close()
        self.database = opened
        return opened

    def needed(self) -> Database:
        """The open database; DatabaseError says how to get one."""
        if self.database is None:
            _database_class()
            raise DatabaseError("no database is open: YXSETDATABASE opens one")
        return self.database

    def close(self) -> None:
        if self.database is not None:
            with suppress(DatabaseError):
                self._write_late(self.database)
            self._late = []
            self.database.close()
            self.database = None

    def winning_move(self, board: core.Board) -> int | None:
        """The move that wins soonest, where one is proven; None otherwise."""
        won = {
            cell: -record.proof
            for cell, record in self._children(board).items()
            if record.proof is not None and record.proof < 0 and record.tag != "X"
        }
        return min(won, key=won.__getitem__, default=None)

    def avoided(self, board: core.Board) -> frozenset[int]:
        """Moves that are proven to lose, or that a person has marked with X or L."""
        return frozenset(
            cell
            for cell, record in self._children(board).items()
            if (record.proof is not None and record.proof > 0) or record.tag in ("X", "L")
        )

    def learn(self, board: core.Board, analysis: Analysis) -> None:
        """Keeps what a search has found of a position and of its moves, except where more is known already."""
        if self.database is None:
            return
        best = analysis.best
        news = [Entry(key_of(board), Record(best.value, best.proof, analysis.depth))]
        for line in analysis.lines:
            if line.proof == 1:
                continue  # nothing follows on a five
            reached = board.copy()
            reached.play(line.move)
            proof = line.proof
            if proof:
                proof = 1 - proof if proof > 0 else -proof - 1
            news.append(Entry(key_of(reached), Record(1 - line.value, proof, max(0, analysis.depth - 1))))
        first = not self._late
        self._late = [*self._late, *news][-MOST_LATE:]
        try:
            self._write_late(self.database)
        except DatabaseBusyError:
            if first:
                self._say("another program is writing to the database: what is found waits until it is done")
        except DatabaseError as error:
            self._give_up(error)

    def _write_late(self, database: Database) -> None:
        """A move is due: longer than an instant it must not take."""
        if self._late:
            with database.waiting(LEARNING_WAIT_S):
                database.add(self._late)
            self._late = []

    def _children(self, board: core.Board) -> dict[int, Record]:
        try:
            return {} if self.database is None else self.database.children(board)
        except DatabaseError as error:
            self._give_up(error)
            return {}

    def _give_up(self, error: Exception) -> None:
        self._say(f"playing on without the database {error}")
        self.close()


def _database_class() -> type[Database]:
    try:
        from brain.database import Database
    except ImportError:
        raise DatabaseError("this package has no database of positions: the full one has") from None
    return Database
