"""How well a network predicts games and solves puzzles. Needs onnxruntime, not torch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.puzzles import read_puzzles
from brain.onnx_evaluator import Buffer, OnnxEvaluator
from cython_core import BLACK, FREESTYLE, RENJU, Board, xy
from cython_core.network.features import write_line_features
from training.games import DECIDED, EVAL_SCALE, Game, GameError, read_games
from training.short_wins import starts_win

BATCH = 64


class Known(NamedTuple):
    """What a game tells of one of its positions; cells are indices, row by row."""

    move: int
    result: float | None
    """Of the mover: 1, 1/2 or 0."""
    policy: Mapping[int, float]
    """Of a search, where there was one."""
    rate: float | None
    """The mover's win rate by a search or a teacher, where nothing is proven."""


@dataclass
class Scores:
    """Sums over positions."""

    positions: int = 0
    top1: int = 0
    top5: int = 0
    policy: float = 0.0
    valued: int = 0
    value: float = 0.0
    searched: int = 0
    shares: float = 0.0
    rated: int = 0
    rates: float = 0.0

    def add(self, logits: np.ndarray, rate: float, known: Known) -> None:
        """One position: logits with occupied cells at minus infinity, the win rate expected, and what is known."""
        ahead = int((logits > logits[known.move]).sum())
        self.positions += 1
        self.top1 += ahead < 1
        self.top5 += ahead < 5
        top = float(logits.max())
        whole = top + math.log(np.exp(logits - top).sum())
        self.policy += whole - float(logits[known.move])
        if known.policy:
            self.searched += 1
            self.shares += sum(share * (whole - float(logits[cell])) for cell, share in known.policy.items())
        if known.rate is not None:
            self.rated += 1
            self.rates += (rate - known.rate) ** 2
        if known.result is not None:
            rate = min(max(rate, 1e-6), 1 - 1e-6)
            self.valued += 1
            self.value -= known.result * math.log(rate) + (1 - known.result) * math.log(1 - rate)

    def lines(self) -> list[str]:
        n = max(1, self.positions)
        told = [
            f"positions {self.positions}",
            f"top-1 {100 * self.top1 / n:.1f} %",
            f"top-5 {100 * self.top5 / n:.1f} %",
            f"policy cross-entropy {self.policy / n:.3f}",
        ]
        if self.valued:
            told.append(f"value cross-entropy {self.value / self.valued:.3f}")
        if self.searched:
            told.append(f"cross-entropy with searched policies {self.shares / self.searched:.3f}")
        if self.rated:
            told.append(f"distance from told win rates {math.sqrt(self.rates / self.rated):.4f}")
        return told


class Sheet:
    """A batch of positions of one board size that waits to be evaluated, with the moves and results to compare."""

    def __init__(self, evaluator: OnnxEvaluator, width: int, height: int, scores: Scores) -> None:
        self.evaluator, self.scores = evaluator, scores
        self.batch = evaluator.batch(width, height, BATCH)
        self.empty = np.zeros((BATCH, width * height), bool)
        self.known: list[Known] = []

    def add(self, board: Board, known: Known) -> None:
        """The position on the board and what is known of it."""
        row = len(self.known)
        write_features(self.evaluator, board, self.batch.features[row])
        self.empty[row] = empty_cells(board)
        self.known.append(known)
        if len(self.known) == BATCH:
            self.finish()

    def finish(self) -> None:
        """Evaluates what is waiting."""
        if not self.known:
            return
        logits, value = self.batch.evaluate(len(self.known))
        for row, known in enumerate(self.known):
            rate = float(value[row, 0] + value[row, 1] / 2)
            self.scores.add(np.where(self.empty[row], logits[row], -np.inf), rate, known)
        self.known = []


def known_of(game: Game, ply: int) -> Known:
    """What a game tells of the position before its move `ply`, which was chosen."""

    def index(cell: int) -> int:
        return cell // 32 * game.width + cell % 32

    number = ply - game.opening
    eval_ = None if game.evals is None else game.evals[number]
    policy = {} if game.policies is None else game.policies[number]
    return Known(
        index(game.moves[ply]),
        {"D": 0.5, "?": None}.get(game.outcome, float(game.outcome == "BW"[ply % 2])),
        {index(cell): share for cell, share in policy.items()},
        None if eval_ is None or abs(eval_) >= DECIDED else 1 / (1 + math.exp(-eval_ / EVAL_SCALE)),
    )


def write_features(evaluator: OnnxEvaluator, board: Board, out: Buffer) -> None:
    table = evaluator.black_table if board.side == BLACK else evaluator.white_table
    write_line_features(board, table, evaluator.scales, out)


def empty_cells(board: Board) -> np.ndarray:
    """bool [width * height], row by row."""
    empty = np.ones((board.height, board.width), bool)
    for cell, _ in board.history:
        empty[cell // 32, cell % 32] = False
    return empty.ravel()


def evaluate_games(evaluator: OnnxEvaluator, path: Path, held_out: bool, limit: int = 0) -> Scores:
    """Scores over the chosen moves of a file; `held_out`: only of the games kept away from training."""
    scores = Scores()
    sheets: dict[tuple[int, int], Sheet] = {}
    games, chosen = [], 0
    for game in read_games(path):
        if game.held_out or not held_out:
            games.append(game)
            chosen += len(game.moves) - game.opening
        if limit and chosen >= limit:
            break
    # By rule: a file with rules in turn would need new tables for every game.
    for game in sorted(games, key=lambda game: game.rule):
        if evaluator.rule != game.rule:
            for sheet in sheets.values():
                sheet.finish()
            evaluator.use_rule(game.rule)
        size = game.width, game.height
        if size not in sheets:
            sheets[size] = Sheet(evaluator, *size, scores)
        sheet = sheets[size]
        board = Board(game.width, game.height, game.rule)
        for ply, cell in enumerate(game.moves):
            if ply >= game.opening:
                sheet.add(board, known_of(game, ply))
            board.play(cell)
    for sheet in sheets.values():
        sheet.finish()
    return scores


@dataclass
class PuzzleScores:
    """First choices: good = the move is in the verified winning set, perfect = it starts a shortest verified win.

    The file's line is such a win: a perfect move is in the set and wins by no more fours than the line has, exactly.
    Puzzles without a line count for good only.
    """

    puzzles: int = 0
    good: int = 0
    perfect: int = 0
    with_line: int = 0

    def lines(self) -> list[str]:
        n, lines = max(1, self.puzzles), max(1, self.with_line)
        return [
            f"puzzles {self.puzzles}",
            f"good {100 * self.good / n:.1f} %",
            f"perfect {100 * self.perfect / lines:.1f} % of {self.with_line}",
        ]


def evaluate_puzzles(evaluator: OnnxEvaluator, path: Path, limit: int = 0) -> PuzzleScores:
    """The network's first choice on a puzzle file. Skips puzzles without answers; GameError names file and line."""
    scores = PuzzleScores()
    try:
        file = read_puzzles(path)
    except ValueError as error:
        raise GameError(str(error)) from error
    rule = RENJU if file.kind == "vct" else FREESTYLE
    for puzzle in file.puzzles:
        winning = puzzle.answers.union(puzzle.line[:1])
        if not winning:
            continue
        board = puzzle.board(rule)
        best = first_choice(evaluator, board)
        good = xy(best) in winning
        scores.puzzles += 1
        scores.good += good
        if puzzle.line:
            scores.with_line += 1
            fours = len(puzzle.line) // 2  # the five ends the line
            scores.perfect += good and starts_win(board, best, fours)
        if limit and scores.puzzles >= limit:
            break
    return scores


def first_choice(evaluator: OnnxEvaluator, board: Board) -> int:
    """The legal cell with the highest prior."""
    evaluator.use_rule(board.rule)
    batch = evaluator.batch(board.width, board.height, 1)
    write_features(evaluator, board, batch.features[0])
    logits, _ = batch.evaluate(1)
    cells = (int(index) // board.width * 32 + int(index) % board.width for index in np.argsort(-logits[0]))
    return next(cell for cell in cells if board.legal(cell))
