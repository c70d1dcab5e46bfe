"""Renga for Python: boards, an engine in this process, threats, solvers and game files.

    import renga

    board = renga.Board.from_code("h8i9", rule="renju")
    with renga.Engine() as engine:
        print(engine.analyse(board, renga.Limit(seconds=1)).best)

Everything public is here; docs/python.md shows it at work.
"""

from renga.board import Board
from renga.engine import Engine
from renga.files import read_game, write_game
from renga.game import Evaluation, Game, Node
from renga.notation import RULES, Colour, Move, Rule
from renga.records import Analysis, Balance, Limit, Line, Swap2
from renga.solving import Proof, Solution, solve
from renga.stream import AnalysisStream
from renga.threats import Threat, threats

__all__ = [
    "RULES",
    "Analysis",
    "AnalysisStream",
    "Balance",
    "Board",
    "Colour",
    "Engine",
    "Evaluation",
    "Game",
    "Limit",
    "Line",
    "Move",
    "Node",
    "Proof",
    "Rule",
    "Solution",
    "Swap2",
    "Threat",
    "read_game",
    "solve",
    "threats",
    "write_game",
]
