"""`python -m bench losses FILE`: which move lost each lost game of a match, and why nobody saw it.

A game is walked through from its end: solvers and a search far deeper than the one that played look at the position
after each move of the player and before it. The last move before which the deeper search still gave the game a chance
is the one that lost it. Simulations and nodes are the limits, so a table does not depend on the load of the machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import cython_core as core
from bench.game import FAULTS, GameRecord
from bench.notation import write_cell
from bench.players import Control
from bench.records import read_results
from bench.renga_player import thinker_from
from brain.clock import Limits
from brain.records import Line, Request
from brain.thinker import Thinker

LOST = 0.25
"""Below this win rate a position counts as lost: deeper searches hardly ever come back from there."""
HURRIED = 0.25
"""Part of its turn's time below which a move counts as played in a hurry."""
UNVISITED = 0.02
"""Share of the visits below which the better move was not really looked at."""
ALTERNATIVES = 4
"""Moves that the deeper search ranks, so that there is another one where the game's own move is refuted."""
PATIENCE_S = 3600.0

FAULT = "own conduct"
FOURS = "opponent's win by fours unseen"
THREATS = "opponent's win by threes and fours unseen"
DEEPER = "opponent's win beyond the solvers unseen"
OWN_WIN = "own forced win missed"
HURRY = "too little time"
NOT_VISITED = "better move without visits"
MISJUDGED = "quiet move misjudged by the value"
OPENING = "lost from the opening on"
KINDS = (FAULT, FOURS, THREATS, DEEPER, OWN_WIN, HURRY, NOT_VISITED, MISJUDGED, OPENING)


@dataclass(frozen=True, slots=True)
class Loss:
    """A lost game, by the move that lost it. Win rates are the player's, as the deeper search sees them."""

    record: GameRecord
    kind: str
    ply: int = 0
    """How many stones stood before the move."""
    better: int | None = None
    """Cell; None where no better move is known."""
    before: float = 0.0
    after: float = 0.0
    plies: int = 0
    """Length of the forced win that was not seen; 0 where there is none."""

    def __str__(self) -> str:
        if self.kind in (FAULT, OPENING):
            return f"{self.record.name}: {self.kind} ({self.record.reason})"
        height = self.record.height
        played = write_cell(self.record.moves[self.ply], height)
        instead = f" instead of {write_cell(core.xy(self.better), height)}" if self.better is not None else ""
        forced = f", {self.plies} plies" if self.plies else ""
        return (
            f"{self.record.name} ply {self.ply}: {played}{instead},"
            f" {100 * self.before:.0f} % -> {100 * self.after:.0f} %: {self.kind}{forced}"
        )


@dataclass(frozen=True, slots=True)
class Depth:
    """How closely a game is looked at."""

    simulations: int
    """Of the deeper search of every position."""
    replayed: int
    """Of the search that stands for the player's own, where it is asked what it had looked at."""
    solver_nodes: int


class Examiner:
    """Finds the move that lost a game. One tree serves a whole game, so what is proven late is known early."""

    def __init__(self, depth: Depth, control: Control, engine: str = "") -> None:
        """engine: options as in `@renga:...`."""
        self._depth, self._control = depth, control
        self._deep, self._own = thinker_from(engine, 1), thinker_from(engine, 2)

    def examine(self, record: GameRecord, player: str) -> Loss:
        """`player` has lost the game."""
        if record.reason in FAULTS:
            return Loss(record, FAULT)
        self._deep.forget()
        first = 0 if player == record.black else 1
        for ply in range(len(record.moves) - 1, record.opening - 1, -1):
            if ply % 2 != first:
                continue
            board, played = _board_after(record, ply), core.cell(*record.moves[ply])
            board.play(played)
            kind, plies, after = self._opponents_chance(board)
            board.undo()
            others = [line for line in self._lines(self._deep, board, ALTERNATIVES) if line.move != played]
            best = max(others, key=lambda line: line.value, default=None)
            before = max(after, best.value if best else 0.0)
            if before < LOST:
                continue
            better = best.move if best and best.value > after else None
            kind, plies = self._reason(board, kind, plies, record.ms[ply], better)
            return Loss(record, kind, ply, better, before, after, plies)
        return Loss(record, OPENING)

    def _opponents_chance(self, board: core.Board) -> tuple[str, int, float]:
        """After a move of the player: the kind of win the opponent has (empty if none is known), its length, and the
        player's win rate."""
        kind, plies = self._forced_win(board)
        if kind:
            return kind, plies, 0.0
        thought = self._lines(self._deep, board, 1)[0]
        if thought.proof is not None and thought.proof > 0:
            return DEEPER, thought.proof, 0.0
        return "", 0, 1 - thought.value

    def _forced_win(self, board: core.Board) -> tuple[str, int]:
        """How the side to move wins by force, as far as the solvers see: kind (empty if it does not) and plies."""
        fours = core.solve_vcf(board, board.side, self._depth.solver_nodes)
        if fours.status == "win":
            return FOURS, len(fours.line)
        threats = core.solve_vct(board, board.side, self._depth.solver_nodes, proof=False)
        return (THREATS, threats.plies) if threats.status == "win" else ("", 0)

    def _reason(self, board: core.Board, kind: str, plies: int, ms: int, better: int | None) -> tuple[str, int]:
        """Why the move was played that lost: the class, and the length of a forced win."""
        own, own_plies = self._forced_win(board)
        if own:
            return OWN_WIN, own_plies
        if kind:
            return kind, plies
        clocked = not (self._control.nodes or self._control.cpu_ms or self._control.match_ms)
        if clocked and better is not None and ms < HURRIED * self._control.turn_ms:
            return HURRY, 0
        if better is not None:
            self._own.forget()
            lines = self._lines(self._own, board, board.empties, self._depth.replayed)
            visits = {line.move: line.visits for line in lines}
            if visits.get(better, 0) < UNVISITED * sum(visits.values()):
                return NOT_VISITED, 0
        return MISJUDGED, 0

    def _lines(self, thinker: Thinker, board: core.Board, count: int, simulations: int = 0) -> tuple[Line, ...]:
        limits = Limits(
            time.perf_counter(), PATIENCE_S, PATIENCE_S, max_nodes=simulations or self._depth.simulations
        )
        return thinker.analyse(Request(board, limits, lines=count)).lines


def _board_after(record: GameRecord, ply: int) -> core.Board:
    board = core.Board(record.width, record.height, record.rule)
    for x, y in record.moves[:ply]:
        board.play(core.cell(x, y))
    return board


def summary(losses: Sequence[Loss]) -> str:
    """A line for every class that occurs, the most frequent first."""
    by_kind: dict[str, list[Loss]] = defaultdict(list)
    for loss in losses:
        by_kind[loss.kind].append(loss)
    lines = [f"{len(losses)} games lost"]
    for kind, found in sorted(by_kind.items(), key=lambda item: (-len(item[1]), KINDS.index(item[0]))):
        plies = [loss.plies for loss in found if loss.plies]
        forced = f"  {mean(plies):.0f} plies on average, {max(plies)} at most" if plies else ""
        lines.append(f"{len(found):5} {100 * len(found) / len(losses):5.1f} %  {kind}{forced}")
    return "\n".join(lines)


def lost_games(records: Iterable[GameRecord], player: str) -> list[GameRecord]:
    return [record for record in records if record.score_of(player) == 0.0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="results of `bench match`")
    parser.add_argument("--player", help="whose losses, by its name in the file (default the first)")
    parser.add_argument("--simulations", type=int, default=20_000, help="of the deeper search of every position")
    parser.add_argument("--replayed", type=int, default=2_000, help="of the search that stands for the player's own")
    parser.add_argument("--solver-nodes", type=int, default=100_000)
    parser.add_argument("--engine", default="", metavar="OPTIONS", help="of the deeper search, as in @renga:OPTIONS")
    parser.add_argument("--games", type=int, help="only the first losses, this many")


def main(options: argparse.Namespace) -> int:
    header, records = read_results(options.file)
    names = list(header.get("players", {}))
    player = options.player or (names[0] if names else "")
    if player not in names:
        raise ValueError(f"{options.file} has no player {player!r}; there are {', '.join(names) or 'none'}")
    depth = Depth(options.simulations, options.replayed, options.solver_nodes)
    examiner = Examiner(depth, Control(**header["control"]), options.engine)
    losses: list[Loss] = []
    for record in lost_games(records, player)[: options.games]:
        losses.append(examiner.examine(record, player))
        print(losses[-1], file=sys.stderr, flush=True)
    print(f"{player} in {options.file.name}: {len(records)} games, {summary(losses)}")
    return 0
