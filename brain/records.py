"""What is handed from part to part: a request on its way in; a line, an analysis and a decision on their way out.

Nothing here thinks, reads or writes. Moves are cells of the core; values are those of the side to move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import cython_core as core

if TYPE_CHECKING:
    from brain.clock import Limits

XY = tuple[int, int]

DEFAULT_MEMORY = 350 << 20
"""Bytes assumed where nobody sets a limit: what Gomocup grants."""
FIRST_UPDATE_S, LONGEST_SILENCE_S = 1.0, 8.0
"""People hear of a search after the first, then ever more rarely, but never after a longer silence than the second."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a search may use of the machine."""

    memory: int = DEFAULT_MEMORY
    """Bytes that the whole process may hold privately."""
    threads: int = 1
    tree: int = 0
    """Bytes for the tree alone; 0: as many as fit."""


class Task(Enum):
    """What a request wants to know."""

    MOVE = "a move"
    RANKING = "a move, and how the others compare with it"
    SWAP2 = "an opening: stones to place, or which colour to take"
    BALANCE = "the next move or two that leave the game most even"
    DEFENCE = "a move, and which of all moves hold"
    SOOSORV = "a step of that opening rule: stones to place, or which colour to take"


@dataclass(frozen=True, slots=True)
class Request:
    """A position and how to think about it."""

    board: core.Board
    """Nobody else's: a search may play on it, and leaves it as it was."""
    limits: Limits
    task: Task = Task.MOVE
    lines: int = 1
    """How many moves of the position are to be ranked."""
    resources: Resources = field(default_factory=Resources)
    update_s: float = 0.0
    """Seconds between updates; 0: after 1, 2, 4, 8, 16, 24, ... seconds."""
    blocked: frozenset[int] = frozenset()
    """Moves that may not be considered."""
    count: int = 1
    """BALANCE: how many moves, 1 or 2. SOOSORV: how many fifth moves are to be offered."""
    target: float = 0.5
    """BALANCE: the win rate that is wanted for the side to move."""
    step: int = 1
    """SOOSORV: 1 to 6."""
    offered: tuple[int, ...] = ()
    """SOOSORV, step 6: the fifth moves to choose from."""

    def next_update(self, seconds: float) -> float:
        """When people hear of the search next, having heard of it now; in seconds from its beginning."""
        return seconds + (self.update_s or min(max(seconds, FIRST_UPDATE_S), LONGEST_SILENCE_S))


@dataclass(frozen=True, slots=True)
class Line:
    """One move with what the search believes of it."""

    move: int
    value: float
    """Expected score, 0..1: a win is 1, a draw one half."""
    draw: float = 0.0
    """Share of draws, as far as it is known."""
    prior: float = 0.0
    """How likely the move was before the search, 0..1."""
    visits: int = 0
    proof: int | None = None
    """+n: wins in n plies; -n: loses in n plies; 0: a draw; None: not proven."""
    pv: tuple[int, ...] = ()
    """Expected continuation, beginning with `move`."""

    @property
    def wdl(self) -> tuple[float, float, float]:
        """Shares of wins, draws and losses; they add up to 1, and wins plus half of the draws to `value`."""
        draw = min(self.draw, 2 * self.value, 2 * (1 - self.value))
        win = self.value - draw / 2
        return win, draw, 1 - draw - win


@dataclass(frozen=True, slots=True)
class Analysis:
    """How a search stands, while it runs or at its end."""

    lines: tuple[Line, ...]
    """Best first, at least one; as many as were asked for unless fewer moves are known."""
    visits: int
    """Of the position; what earlier moves of the game have left is included."""
    seconds: float
    speed: float = 0.0
    """Simulations a second, of this search alone."""
    depth: int = 1
    """Plies of the longest continuation that this search has expected. Never falls during a search."""
    seldepth: int = 1
    """Plies of the longest path that this search has walked. Never falls either."""

    @property
    def best(self) -> Line:
        return self.lines[0]


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a request. A move is one cell; balance may want two, opening rules any number and none."""

    cells: tuple[int, ...]
    swap: bool = False
    """Take the other colour."""
    analysis: Analysis | None = None
    """What the decision was made from; None where no search was needed, or many were."""
    book: Line | None = None
    """What the opening book says of it, where it comes from there."""
    count: int = 0
    """SOOSORV, step 3: how many fifth moves are to be offered."""
    lost: tuple[int, ...] = ()
    """DEFENCE: moves that lose by force."""
    held: tuple[int, ...] = ()
    """DEFENCE: moves after which the solvers find no win. What is neither was not tried."""

    @property
    def moves(self) -> tuple[XY, ...]:
        return tuple(core.xy(cell) for cell in self.cells)


OnUpdate = Callable[[Analysis], None]
"""Is told how a running search stands, on the thread that searches."""
