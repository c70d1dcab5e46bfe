"""The compiled core of Renga: rules, shapes, threat solvers and search. The only door for Python."""

from cython_core.position import Board, cell, xy
from cython_core.proofs import Proof
from cython_core.solvers import VcfResult, VctResult, defences, solve_vcf, solve_vct

BLACK, WHITE, BLOCKED, EMPTY = 0, 1, 2, 3
FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO = 0, 1, 4, 8, 9
RULES = (FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO)
MIN_SIZE, MAX_SIZE = 5, 32

__all__ = [
    "BLACK", "BLOCKED", "CARO", "CARO_OVERLINE", "EMPTY", "FREESTYLE", "MAX_SIZE", "MIN_SIZE", "RENJU",
    "RULES", "STANDARD", "WHITE", "Board", "Proof", "VcfResult", "VctResult", "cell", "defences", "solve_vcf",
    "solve_vct", "xy",
]
