"""What an engine is asked and what it answers: small records without behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from renga.certificate import Certificate
from renga.notation import Move

FOR_EVER_S = 1e9


def is_number(value: object, most: float) -> bool:
    """Is it a number above 0, and not above `most`?"""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= most


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search ends: at whichever comes first. It may end sooner, when nothing is left to find out."""

    seconds: float | None = None
    nodes: int | None = None
    """Simulations of the tree search."""

    def __post_init__(self) -> None:
        if self.seconds is not None and not is_number(self.seconds, FOR_EVER_S):
            raise ValueError(f"a limit of {self.seconds!r} seconds: it must be above 0, and a finite number")
        if self.nodes is not None and (type(self.nodes) is not int or not 0 < self.nodes <= 1 << 40):
            raise ValueError(f"a limit of {self.nodes!r} nodes: it must be a whole number from 1 up")


@dataclass(frozen=True, slots=True)
class Line:
    """A move of the position with what the search believes of it."""

    move: Move
    win_rate: float
    """Expected score of the side to move, 0..1: a win is 1, a draw one half."""
    wdl: tuple[float, float, float]
    """Shares of wins, draws and losses of the side to move."""
    prior: float
    """How likely the move was before the search, 0..1."""
    visits: int
    mate: int | None
    """Plies to the proven end: positive if the side to move wins, negative if it loses; None if nothing is proven."""
    pv: tuple[Move, ...]
    """The expected continuation, beginning with `move`."""

    @property
    def score(self) -> str:
        """The win rate, or the mate where one is proven: "53.4%", "+M7", "-M12"."""
        return f"{100 * self.win_rate:.1f}%" if self.mate is None else f"{'-+'[self.mate > 0]}M{abs(self.mate)}"

    def __str__(self) -> str:
        return f"{self.move} {self.score} {self.visits} visits: {' '.join(map(str, self.pv))}"


@dataclass(frozen=True, slots=True)
class Analysis:
    """How a search stands, while it runs or at its end."""

    lines: tuple[Line, ...]
    """Best first, at least one; as many as were asked for unless fewer moves are known."""
    visits: int
    """Of the position, those of earlier searches included."""
    seconds: float
    speed: float
    """Simulations a second."""
    depth: int
    """Plies of the longest path of a simulation."""
    certificate: Certificate | None = None
    """The proof of the best move's mate as a file that anyone can check (docs/proofs.md), where it was asked for."""

    @property
    def best(self) -> Line:
        return self.lines[0]


@dataclass(frozen=True, slots=True)
class Balance:
    """Moves that leave the game even."""

    moves: tuple[Move, ...]
    win_rate: float
    """Expected score after them of the side that is to move now, before them."""


@dataclass(frozen=True, slots=True)
class Swap2:
    """An answer in the swap2 opening: take the other colour, or place these stones."""

    swap: bool
    moves: tuple[Move, ...] = field(default=())
