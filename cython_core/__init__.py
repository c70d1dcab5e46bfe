"""The compiled core of Renga: rules, shapes, threat solvers and search.

What playing needs is here. How positions are encoded for networks, and single parts for fits and tests, is in the
modules of the rooms and in `probes`.
"""

from cython_core.network.evaluator import Evaluator
from cython_core.network.line_network import LineInputs, LineNetwork
from cython_core.rules.position import Board, cell, xy
from cython_core.rules.rulebook import CARO, CARO_OVERLINE, FREESTYLE, RENJU, RULE_BOOK, STANDARD, Rule
from cython_core.search.search import Searcher, Worker
from cython_core.search.tunables import DEFAULTS, TUNABLES, Tunable
from cython_core.threats.proofs import Proof
from cython_core.threats.replay import Strategy
from cython_core.threats.solvers import VcfResult, VctResult, defences, prove_fours, solve_vcf, solve_vct

BLACK, WHITE, BLOCKED, EMPTY = 0, 1, 2, 3
RULES = tuple(RULE_BOOK)
MIN_SIZE, MAX_SIZE = 5, 32
CLASS_THREE, CLASS_DOUBLE_THREE, CLASS_FOUR, CLASS_FOUR_THREE = 2, 3, 4, 5
CLASS_DOUBLE_FOUR, CLASS_OPEN_FOUR, CLASS_FIVE, CLASS_FOUL, CLASS_MAYBE_FOUL = 6, 7, 8, 9, 10

__all__ = [
    "BLACK", "BLOCKED", "CARO", "CARO_OVERLINE", "CLASS_DOUBLE_FOUR", "CLASS_DOUBLE_THREE", "CLASS_FIVE",
    "CLASS_FOUL", "CLASS_FOUR", "CLASS_FOUR_THREE", "CLASS_MAYBE_FOUL", "CLASS_OPEN_FOUR", "CLASS_THREE",
    "DEFAULTS", "EMPTY", "FREESTYLE", "MAX_SIZE", "MIN_SIZE", "RENJU", "RULES", "RULE_BOOK", "STANDARD",
    "TUNABLES", "WHITE", "Board", "Evaluator", "LineInputs", "LineNetwork", "Proof", "Rule", "Searcher", "Strategy",
    "Tunable", "VcfResult", "VctResult", "Worker", "cell", "defences", "prove_fours", "solve_vcf", "solve_vct", "xy",
]
