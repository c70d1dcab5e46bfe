"""What is known of a position, as databases keep it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from brain.position_key import PositionKey


class DatabaseError(Exception):
    """A database cannot do what was asked; the text says which one and why."""


class DatabaseBusyError(DatabaseError):
    """...because another process has been writing for longer than we would wait."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a position."""

    value: float | None = None
    """Win rate of the side to move, 0..1; None where nobody has evaluated it."""
    proof: int | None = None
    """+n: the side to move wins in n plies; -n: it loses in n plies; 0: a draw; None: not proven."""
    depth: int = 0
    """Plies that the search has looked ahead."""
    tag: str = ""
    """One character of a person's: W, L and D are results for whoever has just moved, X a move not to be played."""
    comment: str = ""

    def improved_by(self, other: Record) -> Record:
        """Both in one: the result of whoever knows better, and what people wrote, the newer if there are two."""
        better = other if other.certainty >= self.certainty else self
        return replace(better, tag=other.tag or self.tag, comment=other.comment or self.comment)

    @property
    def certainty(self) -> tuple[bool, bool, int]:
        """Compares results: proofs above evaluations, deep ones above shallow ones."""
        return self.proof is not None, self.value is not None, self.depth


@dataclass(frozen=True, slots=True)
class Entry:
    """A position of the file with all that is known of it, in its key's orientation."""

    key: PositionKey
    record: Record
    labels: tuple[tuple[int, str], ...] = ()
    """Cell and text."""
