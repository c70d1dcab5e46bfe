"""An appraiser that searches: every question gets its share of one request's time or nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cython_core as core
from brain.appraisal import Opinion, proof_before
from brain.records import Analysis, Line, OnUpdate, Request

if TYPE_CHECKING:
    from brain.clock import Timer
    from brain.thinker import Thinker


class SearchAppraiser:
    """Answers the questions of `appraisal.Appraiser` within the limits of a request."""

    def __init__(self, request: Request, thinker: Thinker, timer: Timer, on_update: OnUpdate | None = None) -> None:
        self._request, self._thinker, self._timer, self._on_update = request, thinker, timer, on_update
        self._asked_for = 0.0
        """Shares of all questions so far."""
        self._nodes = 0
        self.simulations = 0
        """Of all questions so far."""
        self._next_update = request.next_update(0.0)

    @property
    def over(self) -> bool:
        most = self._timer.limits.max_nodes
        return self._timer.expired or 0 < most <= self._nodes

    def rank(self, board: core.Board, count: int, share: float) -> list[Opinion]:
        self._asked_for = min(1.0, self._asked_for + share)
        part = self._timer.part(self._asked_for)
        if part.limits.max_nodes:
            nodes = max(1, round(part.limits.max_nodes * share))
            self._nodes += nodes
            part = self._timer.within(replace(part.limits, max_nodes=nodes))
        analysis = self._thinker.analyse(replace(self._request, board=board, lines=count), part)
        self.simulations += round(analysis.speed * analysis.seconds)
        if self._on_update is not None and self._timer.seconds >= self._next_update:
            self._next_update = self._request.next_update(self._timer.seconds)
            self._on_update(self.summed(self._from_the_request(board, analysis)))
        return [Opinion(line.move, certain(line), line.proof, line.pv) for line in analysis.lines]

    def summed(self, analysis: Analysis) -> Analysis:
        """With the work of all questions so far, of which an answer is only the last."""
        return replace(analysis, visits=self.simulations, speed=self.simulations / max(analysis.seconds, 1e-3))

    def _from_the_request(self, board: core.Board, analysis: Analysis) -> Analysis:
        """An analysis of a later position as one of the position that the request is about."""
        tried = tuple(cell for cell, _ in board.history[self._request.board.ply :])
        if not tried:
            return analysis
        best, plies = analysis.best, len(tried)
        line = Line(
            tried[0], best.value if plies % 2 == 0 else 1 - best.value, best.draw,
            visits=analysis.visits, proof=proof_before(best.proof, plies), pv=(*tried, *(best.pv or (best.move,))),
        )  # fmt: skip
        return replace(
            analysis, lines=(line,), depth=analysis.depth + plies, seldepth=analysis.seldepth + plies
        )


def certain(line: Line) -> float:
    """The value of a line, exact where it is proven."""
    if line.proof is None:
        return line.value
    return 0.5 if line.proof == 0 else float(line.proof > 0)
