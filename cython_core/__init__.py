"""The compiled core of Renga: rules, shapes, threat solvers and search. The only door for Python."""

from cython_core.network.evaluator import Evaluator
from cython_core.network.line_network import LineInputs, LineNetwork
from cython_core.rules.position import Board, cell, xy
from cython_core.search.search import DEFAULTS, Searcher, Worker
from cython_core.threats.proofs import Proof
from cython_core.threats.solvers import VcfResult, VctResult, defences, prove_fours, solve_vcf, solve_vct

BLACK, WHITE, BLOCKED, EMPTY = 0, 1, 2, 3
FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO = 0, 1, 4, 8, 9
RULES = (FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO)
MIN_SIZE, MAX_SIZE = 5, 32
CLASS_THREE, CLASS_DOUBLE_THREE, CLASS_FOUR, CLASS_FOUR_THREE = 2, 3, 4, 5
CLASS_DOUBLE_FOUR, CLASS_OPEN_FOUR, CLASS_FIVE, CLASS_FOUL, CLASS_MAYBE_FOUL = 6, 7, 8, 9, 10

__all__ = [
    "BLACK", "BLOCKED", "CARO", "CARO_OVERLINE", "CLASS_DOUBLE_FOUR", "CLASS_DOUBLE_THREE", "CLASS_FIVE",
    "CLASS_FOUL", "CLASS_FOUR", "CLASS_FOUR_THREE", "CLASS_MAYBE_FOUL", "CLASS_OPEN_FOUR", "CLASS_THREE",
    "DEFAULTS", "EMPTY", "FREESTYLE", "MAX_SIZE", "MIN_SIZE", "RENJU", "RULES", "STANDARD", "WHITE", "Board",
    "Evaluator", "LineInputs", "LineNetwork", "Proof", "Searcher", "VcfResult", "VctResult", "Worker",
    "cell", "defences", "prove_fours", "solve_vcf", "solve_vct", "xy",
]
