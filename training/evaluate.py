"""How well a network predicts games and solves puzzles. Needs onnxruntime, not torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from brain.evaluator import Evaluator
from cython_core import BLACK, FREESTYLE, RENJU, WHITE, Board
from training.games import Game, GameError, parse_move, parse_size, read_games

BATCH = 64


@dataclass
class Scores:
    """Sums over positions."""

    positions: int = 0
    top1: int = 0
    top5: int = 0
    policy: float = 0.0
    valued: int = 0
    value: float = 0.0

    def lines(self) -> list[str]:
        n, known = max(1, self.positions), max(1, self.valued)
        return [
            f"positions {self.positions}",
            f"top-1 {100 * self.top1 / n:.1f} %",
            f"top-5 {100 * self.top5 / n:.1f} %",
            f"policy cross-entropy {self.policy / n:.3f}",
            f"value cross-entropy {self.value / known:.3f}",
        ]


@dataclass
class Question:
    """One position with what the network is measured by."""

    stones: np.ndarray
    side: int
    move: int
    """Index y * width + x of the move played."""
    score: float | None
    """Result for the side to move: 1, 1/2, 0; None when unknown."""


def questions(game: Game) -> list[Question]:
    """Every chosen move of a game."""
    found = []
    stones = np.zeros((game.height, game.width), np.uint8)
    for ply, cell in enumerate(game.moves):
        y, x = divmod(cell, 32)
        if ply >= game.opening:
            score = {"D": 0.5, "?": None}.get(game.result, float(game.result == "BW"[ply % 2]))
            found.append(Question(stones.copy(), ply % 2, y * game.width + x, score))
        # The board is kept as the side to move sees it: 1 own, 2 opponent.
        stones[y, x] = 1
        stones = (3 - stones) * (stones > 0)
    return found


def policy_logits(evaluator: Evaluator, boards: np.ndarray, rule: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits with occupied cells at minus infinity, and the expected score of the side to move."""
    logits, value = evaluator.judge(boards, rule, side)
    logits = np.where(boards.reshape(len(boards), -1) != 0, -np.inf, logits)
    return logits, value[:, 0] + value[:, 1] / 2


def add_questions(scores: Scores, asked: list[Question], logits: np.ndarray, expected: np.ndarray) -> None:
    for question, row, rate in zip(asked, logits, expected, strict=True):
        chosen = row[question.move]
        ahead = int((row > chosen).sum())
        scores.positions += 1
        scores.top1 += ahead < 1
        scores.top5 += ahead < 5
        top = row.max()
        scores.policy += top + math.log(np.exp(row - top).sum()) - chosen
        if question.score is not None:
            rate = min(max(float(rate), 1e-6), 1 - 1e-6)
            scores.valued += 1
            scores.value -= question.score * math.log(rate) + (1 - question.score) * math.log(1 - rate)


def evaluate_games(evaluator: Evaluator, path: Path, held_out: bool, limit: int = 0) -> Scores:
    """Scores over the chosen moves of a file; `held_out`: only of the games kept away from training."""
    scores = Scores()
    waiting: dict[tuple[int, int, int, int], list[Question]] = {}

    def flush(key: tuple[int, int, int, int]) -> None:
        asked = waiting.pop(key)
        boards = np.stack([question.stones for question in asked])
        add_questions(scores, asked, *policy_logits(evaluator, boards, key[0], key[3]))

    for game in read_games(path):
        if held_out and not game.held_out:
            continue
        for question in questions(game):
            key = (game.rule, game.width, game.height, question.side)
            waiting.setdefault(key, []).append(question)
            if len(waiting[key]) >= BATCH:
                flush(key)
        if limit and scores.positions >= limit:
            break
    for key in list(waiting):
        flush(key)
    return scores


@dataclass
class PuzzleScores:
    """S1's rates: good = the move is in the verified winning set, perfect = it starts a shortest verified win."""

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


def evaluate_puzzles(evaluator: Evaluator, path: Path, limit: int = 0) -> PuzzleScores:
    """The network's first choice on a puzzle file; its head line names the columns. Skips puzzles without answers."""
    scores = PuzzleScores()
    columns: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            columns = line[1:].split("\t")
            continue
        try:
            row = dict(zip(columns, line.split("\t"), strict=False))
            board, winning, shortest = puzzle(row)
        except (KeyError, ValueError) as error:
            raise GameError(f"{path}:{number}: bad puzzle: {error}") from error
        if not winning:
            continue
        boards = np.zeros((1, board.height, board.width), np.uint8)
        for cell, colour in board.history:
            boards[0, cell // 32, cell % 32] = 1 if colour == board.side else 2
        logits, _ = policy_logits(evaluator, boards, board.rule, board.side)
        best = next(
            cell for index in np.argsort(-logits[0])
            if board.legal(cell := int(index) // board.width * 32 + int(index) % board.width)
        )  # fmt: skip
        scores.puzzles += 1
        scores.good += best in winning
        if shortest:
            scores.with_line += 1
            scores.perfect += best in shortest
        if limit and scores.puzzles >= limit:
            break
    return scores


def puzzle(row: dict[str, str]) -> tuple[Board, set[int], set[int]]:
    """Board, verified winning first moves, first moves of shortest verified wins."""
    width, height = parse_size(row["size"])
    board = Board(width, height, RENJU if "listed_answers" in row else FREESTYLE)
    for colour, column in ((BLACK, "black"), (WHITE, "white")):
        for text in row[column].split():
            board.put(parse_move(text), colour)
    board.side = {"B": BLACK, "W": WHITE}[row["side"]]
    answers = row.get("winning_first_fours", row.get("listed_answers", "")) or ""
    winning = {parse_move(text) for text in answers.split() if not text.startswith("+")}
    line = next((value for name, value in row.items() if name and name.startswith("line(")), "") or ""
    shortest = {parse_move(line.split()[0])} if line.split() else set()
    return board, winning | shortest, shortest
