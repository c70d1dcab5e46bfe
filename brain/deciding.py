"""Decisions that take more than one search of the position: which kind of thought each task takes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from brain import balance, opening, soosorv
from brain.allowed import best_allowed
from brain.appraisal import Opinion
from brain.appraiser import SearchAppraiser
from brain.defending import defences
from brain.records import Analysis, Decision, Line, OnUpdate, Request, Task

if TYPE_CHECKING:
    from brain.clock import Timer
    from brain.thinker import Thinker

SEARCH_SHARE, SEARCH_SECONDS = 0.4, 5.0
"""Part of a request for defences that ranks the moves, and the most of it: the solvers have the rest, and boards that
think until they are told to stop wait for these."""

ROUND_SECONDS, ROUND_FACTOR = 8.0, 4.0
"""Where there is much time, a request of many questions is answered within this, and then again and again with so much
more: whoever stops it gets an answer to the whole of it."""


class Deepest:
    """What people are told of several searches as if they were one: depths that never fall, as boards expect."""

    def __init__(self) -> None:
        self._depth = self._seldepth = 1

    def told(self, analysis: Analysis) -> Analysis:
        self._depth = max(self._depth, analysis.depth)
        self._seldepth = max(self._seldepth, analysis.seldepth)
        return replace(analysis, depth=self._depth, seldepth=self._seldepth)


def decide(
    request: Request, thinker: Thinker, timer: Timer, chance: random.Random, on_update: OnUpdate | None = None
) -> Decision:
    """Thinks until the timer says that it is over. A move and a ranking come here where moves are blocked."""
    deepest = Deepest()
    update = None if on_update is None else lambda analysis: on_update(deepest.told(analysis))
    decision = _decide(request, thinker, timer, chance, update)
    return decision if decision.analysis is None else replace(decision, analysis=deepest.told(decision.analysis))


def _decide(
    request: Request, thinker: Thinker, timer: Timer, chance: random.Random, on_update: OnUpdate | None
) -> Decision:
    if request.task is Task.SWAP2:
        return opening.swap2(request, thinker, timer, chance, on_update)
    if request.task is Task.DEFENCE:
        return _defence(request, thinker, timer, on_update)
    limits, decision = timer.limits, None
    for part in _rounds(timer):
        found = _answer(request, SearchAppraiser(request, thinker, part, on_update), part, chance)
        cut = timer.stopped or timer.limits is not limits
        if decision is None or not cut:
            decision = found
        if cut:
            break
    assert decision is not None
    return decision


def _rounds(timer: Timer) -> Iterator[Timer]:
    """The parts of a request's time that are used one after the other."""
    limits, begun, length = timer.limits, 0.0, ROUND_SECONDS
    while not limits.max_nodes and limits.maximum_s - begun > (1 + ROUND_FACTOR) * length:
        yield timer.within(replace(limits, started=limits.started + begun, optimum_s=length, maximum_s=length))
        begun, length = timer.seconds, ROUND_FACTOR * length  # what is proven may have taken less than its part
    left = limits.maximum_s - begun
    yield timer.within(
        replace(limits, started=limits.started + begun, optimum_s=min(limits.optimum_s, left), maximum_s=left)
    )


def _answer(request: Request, appraiser: SearchAppraiser, timer: Timer, chance: random.Random) -> Decision:
    if request.task is Task.BALANCE:
        pair = balance.most_even(request.board, appraiser, request.count, request.target, blocked=request.blocked)
        return Decision(pair)
    if request.task is Task.SOOSORV:
        return _soosorv(request, appraiser, chance)
    opinions = best_allowed(request.board, appraiser, request.blocked, request.lines)
    analysis = appraiser.summed(_analysis(opinions, timer))
    return Decision((analysis.best.move,), analysis=analysis)


def _soosorv(request: Request, appraiser: SearchAppraiser, chance: random.Random) -> Decision:
    board, count = request.board, request.count
    match request.step:
        case 1:
            return Decision(soosorv.first_three(board, appraiser, chance))
        case 2:
            return Decision((), swap=soosorv.swap_after_three())
        case 3:
            move, fifths = soosorv.fourth(board, appraiser)
            return Decision((move,), count=fifths)
        case 4:
            return Decision((), swap=soosorv.swap_after_four(board, appraiser, count))
        case 5:
            return Decision(soosorv.fifths(board, appraiser, count))
    return Decision((soosorv.pick_fifth(board, appraiser, request.offered),))


def _defence(request: Request, thinker: Thinker, timer: Timer, on_update: OnUpdate | None) -> Decision:
    """The best move that holds and is not blocked, and which others do."""
    board = request.board
    share = min(SEARCH_SHARE, SEARCH_SECONDS / timer.limits.maximum_s)
    analysis = thinker.analyse(request, timer.part(share), on_update)
    tried = defences(board, lambda: timer.expired)
    lost = {cell: plies for cell, plies in tried.items() if plies is not None}
    lost |= {line.move: -line.proof for line in analysis.lines if line.proof is not None and line.proof < 0}
    held = tuple(cell for cell in tried if cell not in lost)
    lines = [
        replace(line, value=0.0, proof=-lost[line.move]) if line.move in lost else line for line in analysis.lines
    ]
    lines.sort(key=lambda line: (line.move in request.blocked, line.move in lost))
    move = lines[0].move
    if move in request.blocked:
        # A search that has proven its result ranks few moves, here blocked ones: another, one that holds if possible.
        move = next((cell for cell in (*held, *board.legal_cells()) if cell not in request.blocked), move)
    return Decision((move,), analysis=replace(analysis, lines=tuple(lines)), lost=tuple(lost), held=held)


def _analysis(opinions: list[Opinion], timer: Timer) -> Analysis:
    lines = tuple(
        Line(opinion.move, opinion.value, proof=opinion.proof, pv=opinion.pv or (opinion.move,)) for opinion in opinions
    )
    depth = max(len(line.pv) for line in lines)
    return Analysis(lines, 0, timer.seconds, 0.0, depth, depth)
