"""A proven win that is being played: followed move by move, so that the plies still needed only shrink.

A solver that is asked again after every reply may find another win, and a longer one.
"""

from __future__ import annotations

import cython_core as core
from brain.choice import played_out


class Plan:
    """What the last decision promised: a win within a number of plies, and the strategy where a solver had found it."""

    def __init__(self) -> None:
        self.drop()

    def drop(self) -> None:
        """Nothing is promised any more."""
        self._stones: dict[int, int] = {}
        self._plies = 0
        self._proof: core.Proof | None = None

    def keep(self, board: core.Board, move: int, plies: int, proof: core.Proof | None) -> None:
        """The side to move has decided on `move`, which wins within `plies` by the proof; None: the tree knows it."""
        self._stones = {**dict(board.history), move: board.side}
        self._plies = plies
        self._proof = proof if proof is not None and proof.move == move and proof.plies <= plies else None

    def promised(self, board: core.Board) -> int | None:
        """Plies within which the side to move must win now: two less than before its move and the reply. None where
        this is not the position that was promised."""
        return self._plies - 2 if self._reply(board) is not None else None

    def next(self, board: core.Board) -> core.Proof | None:
        """How the strategy goes on in a position that was promised; None if there is none."""
        reply, proof = self._reply(board), self._proof
        if reply is None or proof is None:
            return None
        if reply in proof.replies:
            return proof.replies[reply]
        try:
            return core.prove_fours(board, board.side, proof.threat)
        except ValueError:  # caro: after this reply another line wins
            return None

    def _reply(self, board: core.Board) -> int | None:
        """The one stone that has come since our move, if nothing else has changed."""
        stones = dict(board.history)
        if self._plies < 3 or len(stones) != len(self._stones) + 1 or not self._stones.items() <= stones.items():
            return None
        reply = next(cell for cell in stones if cell not in self._stones)
        return reply if stones[reply] == 1 - board.side else None


def line_of(board: core.Board, proof: core.Proof) -> tuple[int, ...]:
    """The moves of a proof against the reply that lasts longest among those that need an answer of their own; to the
    five, unless nothing needs an answer."""
    line, threat = [proof.move], proof.threat
    while proof.replies:
        reply, proof = max(proof.replies.items(), key=lambda answer: answer[1].plies)
        line, threat = [*line, reply, proof.move], proof.threat
    return played_out(board, line) if len(threat) < 2 else tuple(line)
