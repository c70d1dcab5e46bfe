"""Boards of the package for its tests, and how the slow rules see them."""

from __future__ import annotations

import random

import renga
from bench import reference
from renga.notation import RULE_NUMBERS


def reference_position(board: renga.Board) -> reference.Position:
    stones = {(move.x, move.y): ("black", "white").index(colour) for move, colour in board.stones.items()}
    side = ("black", "white").index(board.turn)
    return reference.Position(board.width, board.height, RULE_NUMBERS[board.rule], stones, side)


def random_board(chance: random.Random, rule: str, size: tuple[int, int], plies: int) -> renga.Board:
    """Stones close to each other, so that rows and fouls come about."""
    board = renga.Board(*size, rule=rule)
    for _ in range(plies):
        moves = board.legal_moves
        if not moves:
            break
        middle = (size[0] // 2, size[1] // 2)
        moves.sort(key=lambda move: (move.x - middle[0]) ** 2 + (move.y - middle[1]) ** 2)
        board.play(chance.choice(moves[:14]))
    return board
