from typing import Literal, NamedTuple

from cython_core.position import Board

Status = Literal["win", "none", "unknown"]

class VcfResult(NamedTuple):
    status: Status
    line: list[int]  # attacker, defender, attacker, ...; empty unless won
    nodes: int  # stones placed

def solve_vcf(board: Board, attacker: int, nodes: int) -> VcfResult: ...
def defences(board: Board, attacker: int, line: list[int]) -> list[int]: ...
