"""Many small questions within one request: how good is this position, which moves are the best?

A question names the share of the request's time (or nodes) that it may cost; what earlier questions did not use is
there for later ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import cython_core as core

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opinion:
    """A move and what it is worth to the side that makes it: win rate 0..1, exactly 0 or 1 where proven."""

    move: int
    value: float
    proof: int | None = None
    """+n: wins in n plies; -n: loses in n plies; 0: a draw; None: not proven."""
    pv: tuple[int, ...] = ()
    """Expected continuation, beginning with `move`, as far as it is known."""


class Appraiser(Protocol):
    @property
    def over(self) -> bool:
        """Must the request be answered now?"""

    def rank(self, board: core.Board, count: int, share: float) -> list[Opinion]:
        """The best moves of the side to move, best first; at least one and at most `count`. The board has a legal cell
        and no winner, and comes back as it was."""


def worth(board: core.Board, appraiser: Appraiser, share: float) -> float:
    """Win rate of the side to move; a finished game has one too."""
    if board.winner != core.EMPTY:
        return 1.0 if board.winner == board.side else 0.0
    if not board.legal_cells():
        return 0.5
    return appraiser.rank(board, 1, share)[0].value


def proof_before(proof: int | None, plies: int) -> int | None:
    """A proof of the position `plies` plies later as one of the position now, for whoever moves now."""
    if not proof:
        return proof
    return (abs(proof) + plies) * (1 if (proof > 0) == (plies % 2 == 0) else -1)


def after(board: core.Board, *cells: int) -> core.Board:
    """The position after these moves, on a board of its own."""
    reached = board.copy()
    for cell in cells:
        reached.play(cell)
    return reached


def sifted(field: Sequence[T], appraiser: Appraiser, loss: Callable[[T, float], float], share: float = 1.0) -> list[T]:
    """The field, best first. Everybody is looked at a little; the better half is looked at again with twice the care,
    until one is left or the request is over. `loss(candidate, share)` is what is to be small."""
    rounds = max(1, math.ceil(math.log2(len(field))))
    latest: dict[T, tuple[int, float]] = {}
    """Candidate -> rounds that it did not take part in, its last loss."""
    alive = list(field)
    for number in range(rounds):
        for candidate in alive:
            if appraiser.over and latest:
                break
            latest[candidate] = rounds - number, loss(candidate, share / rounds / len(alive))
        alive = sorted((one for one in alive if one in latest), key=latest.__getitem__)[: (len(alive) + 1) // 2]
    return sorted(latest, key=latest.__getitem__)
