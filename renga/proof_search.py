"""A win where threats alone do not win: proof-number search in which the attacker may play quiet moves.

A position of the attacker is won if a solver finds a win by threats, or if one of his most promising moves wins. A
position of the defender is won if the attacker would win after a pass, and wins after every reply that escapes from
that win. Where threats do not win after a pass, the position after the pass is searched first: whoever cannot win with
a move more will not win without it, and what wins then leaves few replies to try. A proven graph is a strategy, so the
result is a certificate. What is refuted here is only not proven: the attacker has more moves than were tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import cython_core as core
from renga.certificate import Certificate, Step, certify
from renga.proof_graph import EFFORT, INFINITE, MEMORY, Choice, Graph, Node, strategy_of
from renga.proof_state import ProofState
from renga.prove import escapes, read
from renga.search import Search
from renga.verify import MOST_POSITIONS

WIDTH = 12
"""Quiet moves tried at a position of the attacker."""
VCT_NODES = (5_000, 100_000)
"""Stones for the threats at a position when it is first met, and when its quiet moves are to be tried."""
SIMULATIONS = {2: 4000, 4: 800}
"""Of the search that orders the moves, by the most stones on the board..."""
FEW_SIMULATIONS = 200
"""...and elsewhere."""
QUIET_PROOF, RANK_PROOF, DOUBT = 4, 4, 16
"""Proof number that a quiet move begins with, more for each better one, and for a move that is expected to lose."""
SIBLINGS = 64
"""This many unproven replies beside the hardest one count as one more leaf: what wins after one often does after
others, so the plain sum of proof-number search would be far too high."""
MOST_LIKELY, LIKELY_COST = 2, 20
"""Moves that won after other replies are tried before any other, until their proof numbers and efforts exceed this."""
TRANSFER_STONES = 2_000_000
"""For a replay of what wins after one reply, with another one on the board."""
SEARCH_MEMORY = 350 << 20
PROGRESS_S = 10.0
"""As often as a search says how it stands."""


class ProofSearch:
    """A search for a win of the side to move; `run` goes on where it was.

    What was proven so far is kept in the file `state`; a later search with the same file proves these moves again
    first, without looking at others. Where positions need more than `memory` bytes, those that are not proven and were
    searched least are forgotten.
    """

    def __init__(
        self,
        board: core.Board,
        state: Path | None = None,
        vct_nodes: tuple[int, int] = VCT_NODES,
        width: int = WIDTH,
        say: Callable[[str], None] = lambda text: None,
        network: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        memory: int = MEMORY,
    ) -> None:
        self.attacker = board.side
        self._vct_nodes, self._width, self._say = vct_nodes, width, say
        self.graph = Graph(memory)
        """The positions in memory."""
        self._guide = Search(1, SEARCH_MEMORY, network, book="off")
        self._state = ProofState(state, board)
        self._alike: dict[frozenset[tuple[int, int]], Node] = {}
        """Proven positions of the attacker by their stones without the last one of the position searched then."""
        self._clock, self._deadline, self._said = clock, 0.0, clock()
        self.positions = 0
        """Positions that the solvers have looked at."""
        self.turn_to(board)

    def turn_to(self, board: core.Board) -> None:
        """Searches this position of the same attacker from now on; what is known of others is kept, and what won after
        another last move is tried after this one."""
        self.board, self._start = board.copy(), board.copy()
        self._last = board.history[-1:]
        self.root = self._node()
        self.graph.roots.add(self.root)

    @property
    def proven(self) -> bool:
        return self.root.proof == 0

    @property
    def exhausted(self) -> bool:
        """Did every move that was tried fail?"""
        return self.root.disproof == 0

    def run(self, seconds: float, positions: int = INFINITE) -> bool:
        """Searches for `seconds`, until so many more positions have been looked at, or until nothing is left to try.
        True once the win is proven."""
        self._deadline = self._clock() + seconds
        end = self.positions + positions
        self._explore(self.root, INFINITE, INFINITE, end)
        while self.graph.full():
            self.graph.forget(self._alike.values())
            self._explore(self.root, INFINITE, INFINITE, end)
        return self.proven

    def certificate(self, limit: int = MOST_POSITIONS) -> Certificate:
        """Of the win that was proven."""
        return certify(self._start, self.attacker, self.strategy(), limit)

    def strategy(self) -> Step:
        """The win that was proven."""
        assert self.proven, "there is nothing to certify"
        return strategy_of(self.root)

    # Searching

    def _node(self) -> Node:
        """The node of the position on the board."""
        return self.graph.node(self.board, self.attacker)

    def _over(self) -> bool:
        return self.graph.full() or self._clock() >= self._deadline

    def _explore(self, node: Node, proof_limit: int, disproof_limit: int, end: int) -> None:
        """Depth first, until a number of the node reaches its limit, `end` positions have been looked at in all, or the
        time is over."""
        before = self.positions
        self._descend(node, proof_limit, disproof_limit, end)
        node.searched += self.positions - before

    def _descend(self, node: Node, proof_limit: int, disproof_limit: int, end: int) -> None:
        if not node.expanded:
            self._expand(node)
        while not self._over():
            if node.passed is not None:
                self._explore_pass(node, proof_limit, disproof_limit, end)
                if node.passed is not None:
                    return
            choice = (self._choose_attack if node.attacking else self._choose_defence)(node)
            if choice is None or node.proof >= proof_limit or node.disproof >= disproof_limit or self.positions >= end:
                return
            if not node.attacking and not choice.child.expanded:
                choice.child.likely = node.likely
            self.board.play(choice.cell)
            deciding = choice.second + choice.second // 2 + 4
            until = min(end, self.positions + choice.effort)
            if node.attacking:
                self._explore(choice.child, min(proof_limit, deciding), disproof_limit - choice.rest, until)
            else:
                self._explore(choice.child, proof_limit - choice.rest, min(disproof_limit, deciding), until)
            self.board.undo()
            if choice.child.proof == 0 and not node.attacking:
                self._transfer(node, choice.child)

    def _explore_pass(self, node: Node, proof_limit: int, disproof_limit: int, end: int) -> None:
        """The position after a pass decides about the node until it is proven."""
        passed = node.passed
        assert passed is not None
        if passed.proof and passed.disproof:
            self.board.side = self.attacker
            self._explore(passed, proof_limit, disproof_limit, end)
            self.board.side = 1 - self.attacker
        node.proof, node.disproof = passed.proof, passed.disproof
        if passed.proof == 0:
            node.passed = None
            node.proof = node.disproof = 1
            self._answer_escapes(node, strategy_of(passed))

    def _choose_attack(self, node: Node) -> Choice | None:
        """Brings a node's numbers up to date; where to go on, None once it is decided."""
        if node.narrow and min(child.cost for _, child in node.moves) > LIKELY_COST:
            node.narrow = False
            self._add_moves(node, self._promising())
        if node.proof and node.disproof:
            ranked = sorted(node.moves, key=lambda move: (move[1].proof > 0, move[1].cost))
            cell, best = ranked[0]
            node.proof = min(child.proof for _, child in ranked)
            node.disproof = INFINITE if best.proof == 0 else min(INFINITE, sum(child.disproof for _, child in ranked))
            if best.proof == 0:
                self._enter(cell)
            elif node.disproof:
                second = ranked[1][1] if len(ranked) > 1 else None
                if second is None or second.proof >= INFINITE:
                    return Choice(cell, best, INFINITE, node.disproof - best.disproof)
                # Until it has doubled, or is dearer than the next one.
                doublings = max(1, (second.cost - best.cost) // EFFORT)
                effort = (max(best.searched, 1) << min(doublings, 30)) - best.searched
                return Choice(cell, best, max(best.proof, second.proof), node.disproof - best.disproof, effort)
        return None

    def _choose_defence(self, node: Node) -> Choice | None:
        if node.proof and node.disproof:
            waiting = sorted((move for move in node.moves if move[1].proof), key=lambda move: move[1].disproof)
            if not waiting:
                self._settle(node, True)
                return None
            cell, best = waiting[0]
            others = (len(waiting) - 1) // SIBLINGS
            node.proof = min(INFINITE, max(child.proof for _, child in waiting) + others)
            node.disproof = best.disproof
            if node.disproof:
                second = waiting[1][1].disproof if len(waiting) > 1 else INFINITE
                return Choice(cell, best, second, others)
            node.proof = INFINITE
        return None

    def _expand(self, node: Node) -> None:
        self.positions += 1
        self._tell()
        node.expanded = True
        (self._expand_attack if node.attacking else self._expand_defence)(node)

    def _tell(self) -> None:
        """How the search stands, now and then."""
        if self._clock() >= self._said + PROGRESS_S:
            self._said = self._clock()
            self._say(
                f"{self.positions} positions looked at, {len(self.graph)} kept, {len(self._alike)} proven; "
                f"numbers {self.root.proof} and {self.root.disproof}"
            )

    def _settle(self, node: Node, won: bool) -> None:
        node.proof, node.disproof = (0, INFINITE) if won else (INFINITE, 0)

    def _threats(self, nodes: int) -> Step | None:
        """The attacker's win by threats, whoever is to move."""
        found = core.solve_vct(self.board, self.attacker, nodes)
        return None if found.proof is None else read(found.proof, {})

    def _glance(self, node: Node) -> None:
        """Asks the solver about a position of the attacker, at little cost."""
        if not node.glanced and node.proof:
            node.glanced = True
            node.strategy = self._threats(self._vct_nodes[0])
            if node.strategy is not None:
                self._settle(node, True)

    def _expand_attack(self, node: Node) -> None:
        board = self.board
        hint = self._state.move(board)
        known = node.likely
        if alike := self._alike.get(self._without_last()):
            step = strategy_of(alike)
            if self._takes_over(node, step):
                return
            assert step.move is not None
            known = [step.move, *known]
        if hint is None:
            node.strategy = self._threats(self._vct_nodes[1])
        else:
            self._glance(node)
        if node.strategy is not None:
            self._settle(node, True)
            return
        likely = [] if hint is not None else [cell for cell in known if board.legal(cell)]
        node.narrow = bool(likely)
        if hint is not None:
            likely = [hint]
        self._add_moves(node, [(cell, 1.0) for cell in likely] or self._promising())

    def _add_moves(self, node: Node, moves: list[tuple[int, float]]) -> None:
        """Of the attacker, best first, with the score expected of them."""
        board = self.board
        known = {cell for cell, _ in node.moves}
        for rank, (cell, value) in enumerate(moves):
            if cell in known:
                continue
            known.add(cell)
            board.play(cell)
            child = self._node()
            board.undo()
            if not child.expanded:
                child.proof = max(child.proof, QUIET_PROOF + RANK_PROOF * rank + int(DOUBT * (1 - value)))
            node.moves.append((cell, child))
        if not node.moves:
            self._settle(node, False)

    def _promising(self) -> list[tuple[int, float]]:
        """The attacker's likeliest moves as a search sees them, best first, and the score that it expects of them."""
        board, defender = self.board, 1 - self.attacker
        moves = self._ordered()
        if board.count(defender, core.CLASS_FIVE):
            moves = [(cell, value) for cell, value in moves if self._stops_fives(cell)]
        return moves[: self._width]

    def _ordered(self) -> list[tuple[int, float]]:
        """Moves of the side to move, those that a search likes best first."""
        many = next((many for most, many in SIMULATIONS.items() if self.board.ply <= most), FEW_SIMULATIONS)
        found = self._guide.candidates(self.board, many, reads_threats=True)
        return [(move.cell, move.value) for move in found if move.visits > 0]

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
        threats = self._threats(self._vct_nodes[0])
        if threats is not None:
            self._answer_escapes(node, threats)
            return
        board.side = self.attacker
        node.passed = self._node()
        board.side = 1 - self.attacker

    def _answer_escapes(self, node: Node, after_a_pass: Step) -> None:
        """The replies that break what wins after a pass become the node's moves."""
        board = self.board
        replies = self._escapes(after_a_pass)
        if replies is None:
            replies = board.legal_cells()
        else:
            node.strategy = after_a_pass
            if after_a_pass.move is not None and node.disproof:
                node.likely.append(after_a_pass.move)
        # The hardest first: what wins after them often wins after others, and a bad move is soon known as such.
        rank = {cell: number for number, (cell, _) in enumerate(self._ordered())} if len(replies) > 1 else {}
        for cell in sorted(replies, key=lambda cell: rank.get(cell, len(rank))):
            board.play(cell)
            child = self._node()
            self._glance(child)
            node.moves.append((cell, child))
            board.undo()
        if not replies:
            self._settle(node, node.strategy is not None)

    def _escapes(self, strategy: Step) -> list[int] | None:
        if core.RULE_BOOK[self.board.rule].fouls:
            return escapes(self.board, self.attacker, strategy)
        return core.Strategy(strategy).escapes(self.board, self.attacker, TRANSFER_STONES)

    def _transfer(self, node: Node, proven: Node) -> None:
        """What wins after one reply often wins after others."""
        if core.RULE_BOOK[self.board.rule].fouls or not proven.moves:
            return
        waiting = [(cell, child) for cell, child in node.moves if child.proof]
        if not waiting:
            return
        step = strategy_of(proven)
        assert step.move is not None
        if step.move not in node.likely:
            node.likely.insert(0, step.move)
            del node.likely[MOST_LIKELY:]
        strategy = core.Strategy(step)
        for cell, child in waiting:
            self.board.play(cell)
            self._takes_over(child, step, strategy)
            self.board.undo()

    def _takes_over(self, node: Node, step: Step, replay: core.Strategy | None = None) -> bool:
        """Does a strategy of another position win in this one, too?"""
        if core.RULE_BOOK[self.board.rule].fouls:
            return False
        replay = replay or core.Strategy(step)
        if replay.plies(self.board, self.attacker, TRANSFER_STONES) is None:
            return False
        node.strategy = step
        self._settle(node, True)
        return True

    # What is proven

    def _enter(self, move: int) -> None:
        """The attacker, to move, was proven to win by this move."""
        self._alike[self._without_last()] = self._node()
        self._say(f"proven: {self._state.enter(self.board, move)}")

    def _without_last(self) -> frozenset[tuple[int, int]]:
        return frozenset(self.board.history).difference(self._last)
