"""The graph of a proof-number search: positions with their numbers, the strategy of what is proven, and what is
forgotten where memory ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import cython_core as core
from renga.certificate import Step

INFINITE = 1 << 40
EFFORT = 2
"""Added to a move's proof number each time that the positions searched below it have doubled: four times as many
go to a move as to the next one that begins with a number higher by 4. Proof numbers alone may stay low for ever in a
line where one hard reply follows another, and no other move would be tried."""
MEMORY = 1 << 30
"""For what is not proven, beside the search that orders the moves..."""
NODE_BYTES = 500
"""...each position with its place in its parent's moves."""


@dataclass(eq=False, slots=True)
class Node:
    """A position: proof and disproof numbers, and its moves once expanded."""

    attacking: bool
    proof: int = 1
    disproof: int = 1
    expanded: bool = False
    glanced: bool = False
    """Has the solver looked at it, with few stones?"""
    moves: list[tuple[int, Node]] = field(default_factory=list)
    likely: list[int] = field(default_factory=list)
    """Moves that won after other replies, the newest first; a list that such replies share."""
    narrow: bool = False
    """Are only those moves tried so far?"""
    passed: Node | None = None
    """The position after a pass of the defender, as long as it is not proven."""
    strategy: Step | None = None
    """How it wins: at once (attacker to move) or after a pass."""
    searched: int = 0
    """Positions that were looked at below it."""

    @property
    def cost(self) -> int:
        """Proof number and effort: by what the attacker's moves compare."""
        return self.proof + EFFORT * self.searched.bit_length()


class Choice(NamedTuple):
    """Where a search goes on."""

    cell: int
    child: Node
    second: int
    """The number that decides, of the next best move."""
    rest: int
    """What the other moves add to the other number."""
    effort: int = INFINITE
    """Positions to look at before another move has its turn."""


def strategy_of(node: Node) -> Step:
    """Of a proven node in which the attacker is to move."""
    if node.strategy is None:
        move, after = next((move, child) for move, child in node.moves if child.proof == 0)
        replies = {reply: strategy_of(child) for reply, child in after.moves}
        node.strategy = Step(move, replies, after.strategy)
    return node.strategy


class Graph:
    """The positions that a search has met. Those that `memory` has no room for are forgotten when it is told to."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._nodes: dict[int, Node] = {}
        self._most = memory // NODE_BYTES
        self.roots: set[Node] = set()
        """What is being proven."""

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def node(self, board: core.Board, attacker: int) -> Node:
        """The node of the position on the board."""
        if board.key not in self._nodes:
            self._nodes[board.key] = Node(board.side == attacker)
        return self._nodes[board.key]

    def full(self, times: int = 1) -> bool:
        return times * len(self._nodes) > self._most

    def forget(self, proven: Iterable[Node]) -> None:
        """Leaves half of the room free: positions that were searched least are as if never expanded, but for their
        numbers. What is proven stays as its strategy. Not while a search is going on below a root."""
        kept = self.roots.union(proven)
        for node in _reached(kept):
            if node.attacking and node.proof == 0:
                strategy_of(node)
                node.moves, node.narrow = [], False
        most_searched = 1
        while self.full(2):
            unproven = {node for node in _reached(kept) if node.expanded and node.proof} - self.roots
            for node in unproven:
                if node.searched <= most_searched or not node.disproof:
                    node.expanded = node.narrow = False
                    node.moves, node.passed, node.strategy = [], None, None
            left = _reached(kept)
            self._nodes = {key: node for key, node in self._nodes.items() if node in left}
            if not unproven:
                # The roots and what is proven need more than was allowed.
                self._most = 2 * len(self._nodes)
            most_searched *= 2


def _reached(nodes: Iterable[Node]) -> set[Node]:
    """These and all that their moves lead to."""
    waiting = list(nodes)
    found = set(waiting)
    while waiting:
        node = waiting.pop()
        after = [child for _, child in node.moves]
        for child in after if node.passed is None else [*after, node.passed]:
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found
