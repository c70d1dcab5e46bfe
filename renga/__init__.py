"""Renga for Python: boards, an engine in this process, threats, solvers and game files.

    import renga

    board = renga.Board.from_code("h8i9", rule="renju")
    with renga.Engine() as engine:
        print(engine.analyse(board, renga.Limit(seconds=1)).lines[0])

Everything public is here; docs/python.md shows it at work.
"""

from renga.board import Board
from renga.game import Evaluation, Game, Node, read_game, write_game
from renga.notation import RULES, Colour, Move, Rule

__all__ = [
    "RULES",
    "Board",
    "Colour",
    "Evaluation",
    "Game",
    "Move",
    "Node",
    "Rule",
    "read_game",
    "write_game",
]
