"""`solve`: a forced win of the side to move, by fours, by fours and threes, or by quiet moves, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cython_core as core
from brain.choice import played_out
from renga.board import Board, checked_board
from renga.certificate import Certificate
from renga.certificate import certify as write
from renga.notation import Move
from renga.proof_graph import INFINITE, MEMORY
from renga.proof_search import ProofSearch
from renga.prove import read
from renga.records import FOR_EVER_S, is_number

SEARCH = "search"
METHODS = ("vcf", "vct", SEARCH)


@dataclass(frozen=True, slots=True)
class Proof:
    """Play `move`; after a reply in `replies` go on there, after any other win by the line of fours `threat`.

    Where `move` makes a five, or fours that nothing stops, there are no replies.
    """

    move: Move
    replies: dict[Move, Proof]
    threat: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver found out."""

    win: bool
    """Is a forced win proven?"""
    exhausted: bool
    """Without a win: is it certain that the method finds none, however many nodes it gets?"""
    line: tuple[Move, ...]
    """The win against the longest defence that was found, to its five; its first move where quiet moves were needed;
    empty without a win."""
    plies: int
    """Plies after which the five comes at the latest, whatever the defence: at least the length of the line."""
    proof: Proof | None
    """The answer to every defence; None without a win, and for "search", whose answers are in the certificate."""
    nodes: int
    """Stones placed."""
    certificate: Certificate | None = None
    """The proof as a file that anyone can check (docs/proofs.md), where it was asked for; "search" always has it."""


def solve(
    board: Board, method: str = "vct", nodes: int = 200_000, *, seconds: float = 60.0, certify: bool = False
) -> Solution:
    """Looks for a forced win of the side to move: "vcf" by fours alone, "vct" by fours and threes, as far as `nodes`
    reach; "search" by quiet moves, too, for at most `seconds`."""
    if method not in METHODS:
        raise ValueError(f"no method {method!r}: there are {', '.join(METHODS)}")
    if type(nodes) is not int or not 0 < nodes <= 1 << 31:
        raise ValueError(f"{nodes!r} nodes: it must be a whole number from 1 up")
    if method == SEARCH:
        return search(board, seconds)
    if checked_board(board).is_over:
        raise ValueError("the game is over")
    position = board._core.copy()
    found: core.VcfResult | core.VctResult
    proof: core.Proof | None
    if method == "vcf":
        found = core.solve_vcf(position, position.side, nodes)
        proof = core.prove_fours(position, position.side, found.line) if found.status == "win" else None
    else:
        found = core.solve_vct(position, position.side, nodes)
        proof = found.proof
    if proof is None:
        return Solution(False, found.status == "none", (), 0, None, found.nodes)
    line = tuple(map(board._move, played_out(position, found.line)))
    certificate = write(position, position.side, read(proof, {})) if certify else None
    return Solution(True, False, line, proof.plies, _translated(proof, board), found.nodes, certificate)


def search(
    board: Board, seconds: float, state: Path | None = None, say: Callable[[str], None] = lambda text: None,
    positions: int = INFINITE, memory: int = MEMORY,
) -> Solution:
    """Looks for a win in which quiet moves may be needed, at no more than so many positions; `ProofSearch` says what
    `state` and `memory` are."""
    if not is_number(seconds, FOR_EVER_S):
        raise ValueError(f"{seconds!r} seconds: it must be above 0, and a finite number")
    if checked_board(board).is_over:
        raise ValueError("the game is over")
    quest = ProofSearch(board._core, state, say=say, memory=memory)
    if not quest.run(seconds, positions):
        return Solution(False, False, (), 0, None, quest.positions)
    certificate = quest.certificate()
    assert certificate.strategy.move is not None
    line = (board._move(certificate.strategy.move),)
    return Solution(True, False, line, certificate.plies, None, quest.positions, certificate)


def _translated(proof: core.Proof, board: Board) -> Proof:
    """The proof with moves for cells. Parts that are shared stay shared, and no depth is too deep."""
    made: dict[int, Proof] = {}
    waiting = [proof]
    while waiting:
        node = waiting[-1]
        missing = [child for child in node.replies.values() if id(child) not in made]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        replies = {board._move(cell): made[id(child)] for cell, child in node.replies.items()}
        made[id(node)] = Proof(board._move(node.move), replies, tuple(map(board._move, node.threat)))
    return made[id(proof)]
