"""Games of the engine against itself in which every mate that it announces is certified, and held to its word.

What a MESSAGE shows is the best line of an analysis, so that is what is looked at, while a search runs and at its end.
A win that was announced has to come within the plies that were said, and later announcements must not put it off; the
same holds for a loss as long as the game goes as the loser expected.
"""

from __future__ import annotations

import random
import time

import cython_core as core
from bench.notation import RULE_NAMES
from bench.proof_tally import Tally, followed
from bench.renga_player import thinker_from
from brain.clock import Limits
from brain.records import Analysis, Line, Request, Resources
from brain.thinker import Thinker
from renga.certificate import Step

SIZES = (10, 12, 13, 15, 15, 15, 17, 19, 20)
LONGEST_GAME = 120
RESOURCES = Resources(tree=32 << 20)
LONG_ENOUGH_S = 3600.0
UPDATE_S = 1e-6
"""As often as a search says anything."""


class Word:
    """What one side has announced of its end so far."""

    def __init__(self) -> None:
        self.wins_by: int | None = None
        """The ply by which it has promised its five."""
        self._last: Line | None = None
        self.strategies: list[Step] = []
        """By which it loses, from earlier certificates, as far as the game has gone on as in them."""

    def follow(self, board: core.Board) -> None:
        """The strategies that the side to move has been beaten by until now, after its last move and the reply."""
        if len(board.history) > 1:
            (move, _), (reply, _) = board.history[-2:]
            left = (followed(strategy, move, reply) for strategy in self.strategies)
            self.strategies = [strategy for strategy in left if strategy is not None]

    def broken(self, board: core.Board, said: Line) -> str | None:
        """Notes an announcement; how it breaks an earlier one, None if it does not."""
        last, self._last = self._last, said
        promised = self.wins_by
        if said.proof is not None and said.proof > 0:
            self.wins_by = board.ply + said.proof
            if promised is not None and self.wins_by > promised:
                return f"a win by ply {promised} was announced, now it is to come by ply {self.wins_by}"
        elif promised is not None:
            self.wins_by = None
            return f"a win by ply {promised} was announced, now there is none"
        if last is None or last.proof is None or last.proof >= 0:
            return None
        if last.proof > -3 or last.pv[:2] != tuple(cell for cell, _ in board.history[-2:]):
            return None
        if said.proof is None or not last.proof + 2 <= said.proof < 0:
            return f"{last.proof} plies were announced, two later {said.proof}"
        return None


def own_game(tally: Tally, number: int, rule: int, simulations: int, network: str) -> None:
    """A game from a random opening, each side with a tree and a memory of its own."""
    rng = random.Random(f"proofs {number} {rule}")
    size = rng.choice(SIZES)
    name = f"game {number} {RULE_NAMES[rule]} {size}"
    board = core.Board(size, size, rule)
    opening = rng.randint(2, 6)
    while board.ply < opening:
        cell = core.cell(size // 2 + rng.randint(-2, 2), size // 2 + rng.randint(-2, 2))
        if board.legal(cell):
            board.play(cell)
    options = f"network={network}" if network else ""
    thinkers = [thinker_from(options, number + 1), thinker_from(options, number + 1)]
    words = [Word(), Word()]
    while board.winner == core.EMPTY and board.ply < LONGEST_GAME and board.legal_cells():
        word = words[board.side]
        word.follow(board)
        best = announced(tally, f"{name}, ply {board.ply}", board, thinkers[board.side], simulations, word.strategies)
        broken = word.broken(board, best)
        if broken is not None:
            tally.failures.append(f"{name}, ply {board.ply}: {broken}")
        board.play(best.move)
    due = min((word.wins_by for word in words if word.wins_by is not None), default=LONGEST_GAME)
    if board.ply > due:
        tally.failures.append(f"{name}: a five by ply {due} was announced, the game has {board.ply}")


def announced(
    tally: Tally, name: str, board: core.Board, thinker: Thinker, simulations: int, strategies: list[Step]
) -> Line:
    """The engine's decision. The shortest end that it has announced meanwhile is entered; the strategy of a loss joins
    `strategies`."""
    mates: list[int] = []

    def look(analysis: Analysis) -> None:
        if analysis.best.proof:
            mates.append(analysis.best.proof)

    limits = Limits(time.perf_counter(), LONG_ENOUGH_S, LONG_ENOUGH_S, max_nodes=simulations)
    found = thinker.analyse(Request(board, limits, resources=RESOURCES, update_s=UPDATE_S), on_update=look)
    look(found)
    if mates and not found.best.proof:
        tally.failures.append(f"{name}: M{mates[0]:+} was announced and taken back")
    for won in (True, False):
        plies = min((abs(mate) for mate in mates if (mate > 0) == won), default=0)
        if plies > 1:
            winner = board.side if won else 1 - board.side
            claim = f"{name}, M{'+' if won else '-'}{plies}"
            solution, known = (thinker.solution, []) if won else (None, strategies)
            strategy = tally.enter(claim, board, winner, plies, thinker.tree, solution, known)
            if strategy is not None and not won:
                strategies.append(strategy)
    return found.best
