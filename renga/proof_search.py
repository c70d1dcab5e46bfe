"""A win where threats alone do not win: proof-number search in which the attacker may play quiet moves.

A position of the attacker is won if a solver finds a win by threats, or if one of his most promising moves wins. A
position of the defender is won if the attacker would win by threats after a pass, and wins after every reply that
escapes from those threats; without such threats every legal reply counts. A proven graph is a strategy, so the result
is a certificate. What is refuted here is only not proven: the attacker has more moves than were tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cython_core as core
from renga.certificate import Certificate, Step, cell_name, certify
from renga.prove import escapes, read
from renga.verify import MOST_POSITIONS

INFINITE = 1 << 40
WIDTH = 12
"""Quiet moves tried at a position of the attacker."""
VCT_NODES = 20_000
"""Stones for the threats at each position."""
PRIOR_BYTES = 4 << 20


@dataclass(eq=False, slots=True)
class Node:
    """A position: proof and disproof numbers, and its moves once expanded."""

    attacking: bool
    proof: int = 1
    disproof: int = 1
    expanded: bool = False
    moves: list[tuple[int, Node]] = field(default_factory=list)
    threats: Step | None = None
    """The win by threats: at once (attacker to move) or after a pass."""


class ProofSearch:
    """A search for a win of the side to move; `run` goes on where it was.

    `state` is a text file of what was proven so far, one position of the attacker and its winning move in each line. It
    is only appended to, so that nothing is lost by a kill; a later search with the same file proves these moves again
    first, without looking at others.
    """

    def __init__(
        self,
        board: core.Board,
        state: Path | None = None,
        vct_nodes: int = VCT_NODES,
        width: int = WIDTH,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.board, self.attacker = board.copy(), board.side
        self._start = board.copy()
        self._vct_nodes, self._width, self._say, self._state = vct_nodes, width, say, state
        self._nodes: dict[int, Node] = {}
        self._priors = core.Searcher(PRIOR_BYTES, statics=0, own_vcf_nodes=0, other_vcf_nodes=0, hot_visits=0)
        self._worker = core.Worker(self._priors)
        self._written: set[int] = set()
        self._hints = self._read_state()
        self._deadline = 0.0
        self.positions = 0
        """Positions that the solvers have looked at."""
        self.root = self._node()

    @property
    def proven(self) -> bool:
        return self.root.proof == 0

    @property
    def exhausted(self) -> bool:
        """Did every move that was tried fail?"""
        return self.root.disproof == 0

    def run(self, seconds: float) -> bool:
        """Searches for so long, or until nothing is left to try. True once the win is proven."""
        self._deadline = time.monotonic() + seconds
        self._explore(self.root, INFINITE, INFINITE)
        return self.proven

    def certificate(self, limit: int = MOST_POSITIONS) -> Certificate:
        """Of the win that was proven."""
        assert self.proven, "there is nothing to certify"
        return certify(self._start, self.attacker, self._strategy(self.root, {}), limit)

    # Searching

    def _node(self) -> Node:
        """The node of the position on the board."""
        key = self.board.key
        if key not in self._nodes:
            self._nodes[key] = Node(self.board.side == self.attacker)
        return self._nodes[key]

    def _over(self) -> bool:
        return time.monotonic() >= self._deadline

    def _explore(self, node: Node, proof_limit: int, disproof_limit: int) -> None:
        """Depth first, until a number of the node reaches its limit or the time is over."""
        if not node.expanded:
            self._expand(node)
        while not self._over():
            cell, child, second, rest = self._update(node)
            if child is None or node.proof >= proof_limit or node.disproof >= disproof_limit:
                return
            deciding = proof_limit if node.attacking else disproof_limit
            adding = (disproof_limit if node.attacking else proof_limit) - rest
            deciding = min(deciding, second + second // 4 + 1)
            self.board.play(cell)
            if node.attacking:
                self._explore(child, deciding, adding)
            else:
                self._explore(child, adding, deciding)
            self.board.undo()

    def _update(self, node: Node) -> tuple[int, Node | None, int, int]:
        """Brings the node's numbers up to date; the most promising move, the next best deciding number, and the sum of
        the other numbers. No move: the node is decided."""
        if node.proof == 0 or node.disproof == 0:
            return -1, None, 0, 0
        best, cell, second, total, own = None, -1, INFINITE, 0, 0
        for move, child in node.moves:
            deciding, adding = (child.proof, child.disproof) if node.attacking else (child.disproof, child.proof)
            total += adding
            least = second if best is None else (best.proof if node.attacking else best.disproof)
            if best is None or deciding < least:
                second = least if best is not None else INFINITE
                best, cell, own = child, move, adding
            else:
                second = min(second, deciding)
        if best is None:
            least, total = INFINITE, 0
        else:
            least = best.proof if node.attacking else best.disproof
        total = INFINITE if least == 0 else min(total, INFINITE)
        node.proof, node.disproof = (least, total) if node.attacking else (total, least)
        if node.proof == 0 and node.attacking:
            self._write_state(cell)
        if node.proof == 0 or node.disproof == 0:
            return -1, None, 0, 0
        return cell, best, second, total - own

    def _expand(self, node: Node) -> None:
        self.positions += 1
        node.expanded = True
        if node.attacking:
            self._expand_attack(node)
        else:
            self._expand_defence(node)

    def _settle(self, node: Node, won: bool) -> None:
        node.proof, node.disproof = (0, INFINITE) if won else (INFINITE, 0)

    def _expand_attack(self, node: Node) -> None:
        board, defender = self.board, 1 - self.attacker
        threats = core.solve_vct(board, self.attacker, self._vct_nodes)
        if threats.proof is not None:
            node.threats = read(threats.proof, {})
            self._settle(node, True)
            return
        hint = self._hints.get(board.key)
        cells = [hint] if hint is not None else self._promising()
        if board.count(defender, core.CLASS_FIVE):
            cells = [cell for cell in cells if self._stops_fives(cell)]
        for rank, cell in enumerate(cells):
            board.play(cell)
            child = self._node()
            board.undo()
            if not child.expanded:
                child.proof = max(child.proof, 1 + rank)
            node.moves.append((cell, child))
        if not node.moves:
            self._settle(node, False)

    def _promising(self) -> list[int]:
        """The attacker's likeliest moves by shape, best first; those that break a win by fours where one threatens."""
        board, defender = self.board, 1 - self.attacker
        self._priors.set_position(board)
        self._worker.run(1)
        order = [child[0] for child in sorted(self._priors.children(), key=lambda child: -child[4])]
        if not board.count(self.attacker, core.CLASS_FIVE) and not board.count(defender, core.CLASS_FIVE):
            fours = core.solve_vcf(board, defender, 2000)
            if fours.status == "win":
                breaking = set(core.defences(board, defender, fours.line))
                order = [cell for cell in order if cell in breaking] or sorted(breaking)
        return order[: self._width]

    def _stops_fives(self, cell: int) -> bool:
        self.board.play(cell)
        left = self.board.count(1 - self.attacker, core.CLASS_FIVE)
        self.board.undo()
        return left == 0

    def _expand_defence(self, node: Node) -> None:
        board = self.board
        if board.winner == self.attacker:
            self._settle(node, True)
            return
        if board.count(1 - self.attacker, core.CLASS_FIVE):
            self._settle(node, False)
            return
        threats = core.solve_vct(board, self.attacker, self._vct_nodes)
        replies = None
        if threats.proof is not None:
            strategy = read(threats.proof, {})
            replies = escapes(board, self.attacker, strategy)
            node.threats = strategy if replies is not None else None
        if replies is None:
            replies = board.legal_cells()
            if not replies:
                self._settle(node, False)
        for cell in replies:
            board.play(cell)
            node.moves.append((cell, self._node()))
            board.undo()
        if not replies and node.threats is not None:
            self._settle(node, True)

    # The result

    def _strategy(self, node: Node, made: dict[int, Step]) -> Step:
        """The attacker is to move in a proven node."""
        if id(node) not in made:
            if node.threats is not None:
                made[id(node)] = node.threats
            else:
                move, after = next((move, child) for move, child in node.moves if child.proof == 0)
                replies = {reply: self._strategy(child, made) for reply, child in after.moves}
                made[id(node)] = Step(move, replies, after.threats)
        return made[id(node)]

    # What was proven so far, as text

    def _position(self) -> str:
        stones: list[list[str]] = [[], []]
        for cell, colour in sorted(self.board.history):
            stones[colour].append(cell_name(self.board, cell))
        return f"{' '.join(stones[core.BLACK])} / {' '.join(stones[core.WHITE])}"

    def _write_state(self, move: int) -> None:
        key = self.board.key
        if key in self._written:
            return
        self._written.add(key)
        self._say(f"proven: {self._position()} by {cell_name(self.board, move)}")
        if self._state is not None and key not in self._hints:
            with self._state.open("a", encoding="ascii") as file:
                file.write(f"{self._position()} > {cell_name(self.board, move)}\n")

    def _read_state(self) -> dict[int, int]:
        """Key of a position -> the move that was proven; a line cut short by a kill is left out."""
        if self._state is None or not self._state.exists():
            return {}
        names = {cell_name(self._start, cell): cell for cell in self._start.all_cells()}
        hints = {}
        for number, line in enumerate(self._state.read_text(encoding="ascii").split("\n")[:-1], 1):
            position, arrow, move = line.partition(" > ")
            black, slash, white = position.partition("/")
            words = [*black.split(), *white.split(), move]
            if not arrow or not slash or any(word not in names for word in words):
                raise ValueError(f"{self._state}:{number}: not a position and a move: {line[:60]!r}")
            board = core.Board(self._start.width, self._start.height, self._start.rule)
            for colour, stones in ((core.BLACK, black), (core.WHITE, white)):
                for word in stones.split():
                    board.put(names[word], colour)
            board.side = self.attacker
            hints[board.key] = names[move]
        return hints
