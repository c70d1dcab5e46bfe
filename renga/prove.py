"""Certificates from what the solvers and the search know: wins of the side to move, and its losses."""

from __future__ import annotations

import cython_core as core
from renga.certificate import Certificate, Step, certify, chain

VCF_NODES = 100_000
VCT_NODES = 200_000


class Unproven(Exception):
    """The strategy could not be completed; the claim is not made."""


def prove_win(board: core.Board, winner: int, vct_nodes: int = VCT_NODES) -> Certificate | None:
    """The certificate of a win by threats of `winner`, who is to move; None where the solvers find none."""
    maker = Maker(board, winner, vct_nodes)
    try:
        return certify(maker.board, winner, maker.attack())
    except Unproven:
        return None


class Maker:
    """Builds a strategy on its own copy of the board."""

    def __init__(self, board: core.Board, winner: int, vct_nodes: int) -> None:
        self.board, self.winner, self.vct_nodes = board.copy(), winner, vct_nodes
        self.board.side = winner
        self._read: dict[int, Step] = {}

    def attack(self) -> Step:
        """The winner is to move."""
        fours = core.solve_vcf(self.board, self.winner, VCF_NODES)
        if fours.status == "win":
            return self.fours(fours.line)
        threats = core.solve_vct(self.board, self.winner, self.vct_nodes)
        if threats.proof is not None:
            return self.read(threats.proof)
        raise Unproven

    def fours(self, line: list[int]) -> Step:
        step = chain(line[::2])
        assert step is not None
        return step

    def read(self, proof: core.Proof) -> Step:
        if id(proof) not in self._read:
            replies = {cell: self.read(answer) for cell, answer in proof.replies.items()}
            self._read[id(proof)] = Step(proof.move, replies, chain(proof.threat[::2]))
        return self._read[id(proof)]
