from typing import Literal, NamedTuple

from cython_core.rules.position import Board
from cython_core.threats.proofs import Proof

Status = Literal["win", "none", "unknown"]

class VcfResult(NamedTuple):
    status: Status
    line: list[int]  # attacker, defender, attacker, ...; empty unless won
    nodes: int  # stones placed

class VctResult(NamedTuple):
    status: Status
    move: int | None  # the first move of the win
    line: list[int]  # the shortest win found against the longest defence; empty unless won
    plies: int  # to the five, against the longest defence found
    proof: Proof | None  # of a win, where it is wanted
    nodes: int  # stones placed, those of inner solvers included

def solve_vcf(board: Board, attacker: int, nodes: int, *, fours: int = 0) -> VcfResult: ...
def prove_fours(board: Board, attacker: int, line: list[int]) -> Proof: ...
def defences(board: Board, attacker: int, line: list[int]) -> list[int]: ...
def solve_vct(
    board: Board, attacker: int, nodes: int, *, proof: bool = True, memory: int = ...
) -> VctResult: ...
