"""Certificates from what the solvers and the search know: wins of the side to move, and its losses.

What the search has proven is expanded into a complete strategy: its moves where the tree still knows them, wins by
fours and threats where a solver finds them. What cannot be completed is not claimed.
"""

from __future__ import annotations

import cython_core as core
from renga.certificate import Certificate, Step, cell_name, certify, chain, text_of
from renga.verify import MOST_POSITIONS, Checker, Refuted, Unusable, bits

VCF_NODES = 100_000
"""Stones for a win by fours at one position of the winner."""
VCT_NODES = (2_000, 20_000, 200_000)
"""Stones for a win by threats, tried one after the other until a win is short enough. The first is what the search
spends on a node."""
MOST_FOR_ESCAPES = 300_000
"""Positions to look at when the replies that break a strategy are collected."""


class Unproven(Exception):
    """The strategy could not be completed."""


def prove(
    board: core.Board,
    winner: int,
    searcher: core.Searcher | None = None,
    vct_nodes: tuple[int, ...] = VCT_NODES,
    limit: int = MOST_POSITIONS,
    solution: core.Proof | None = None,
) -> Certificate | None:
    """The certificate that `winner` wins from this position, whoever is to move; None where it cannot be completed.

    `searcher` is a search that has just proven it, and `solution` the win of a solver from here, if there was one.
    """
    try:
        try:
            return certify(board, winner, _Maker(board, winner, searcher, vct_nodes, solution).strategy(), limit)
        except Refuted:
            if not core.RULE_BOOK[board.rule].blocked_ends:
                raise
        return certify(board, winner, _CaroMaker(board, winner, searcher, vct_nodes, solution).strategy(), limit)
    except Unproven:
        return None


def certificate_of(
    board: core.Board, mate: int | None, searcher: core.Searcher | None, solution: core.Proof | None
) -> Certificate | None:
    """The certificate of what a search says of its position: a win within `mate` plies, or a loss if negative.
    None without a mate, and where no proof of it can be completed."""
    if not mate:
        return None
    winner = board.side if mate > 0 else 1 - board.side
    try:
        return prove(board, winner, searcher, solution=solution if mate > 0 else None)
    except (Refuted, Unusable):
        return None


class _Maker:
    """Builds a strategy on its own copy of the board."""

    def __init__(
        self, board: core.Board, winner: int, searcher: core.Searcher | None, vct_nodes: tuple[int, ...],
        solution: core.Proof | None,
    ) -> None:
        self.board, self.winner, self.searcher, self.vct_nodes = board.copy(), winner, searcher, vct_nodes
        self._root, self._solution = board.key, solution
        self._made: dict[int, Step] = {}

    def strategy(self) -> Step:
        return self.attack() if self.board.side == self.winner else self.defend()

    def attack(self) -> Step:
        """The winner is to move."""
        key = self.board.key
        if key not in self._made:
            self._made[key] = self._attack()
        return self._made[key]

    def _attack(self) -> Step:
        plies, move = self._known()
        proof = self._solved(plies)
        if move is not None and (proof is None or proof.plies > (plies or 0)):
            self.board.play(move)
            try:
                if self._known()[0] is not None or proof is None:
                    step = self.defend()
                    return Step(move, step.replies, step.otherwise)
            except Unproven:
                if proof is None:
                    raise
            finally:
                self.board.undo()
        if proof is None:
            raise Unproven
        return self._read(proof)

    def _read(self, proof: core.Proof) -> Step:
        """The strategy of a proof from the position on the board."""
        return read(proof, {})

    def _defence(self, line: list[int]) -> tuple[Step, list[int]]:
        """The answer to most replies where a line of fours threatens, and the replies that need one of their own."""
        step = chain(line[::2])
        assert step is not None
        return step, core.defences(self.board, self.winner, line)

    def _known(self) -> tuple[int | None, int | None]:
        """Plies and move of the search for the position on the board, as far as it has proven it."""
        return (None, None) if self.searcher is None else self.searcher.known(self.board)

    def _solved(self, plies: int | None) -> core.Proof | None:
        """A win by fours or threats within `plies` plies where there is one, else the shortest found."""
        best = self._solution if self.board.key == self._root else None
        if best is not None and (plies is None or best.plies <= plies):
            return best
        fours = core.solve_vcf(self.board, self.winner, VCF_NODES)
        if fours.status == "win":
            best = core.prove_fours(self.board, self.winner, fours.line)
            if plies is not None and best.plies > plies > 2:
                fours = core.solve_vcf(self.board, self.winner, VCF_NODES, fours=(plies - 1) // 2)
                best = core.prove_fours(self.board, self.winner, fours.line) if fours.status == "win" else best
            if plies is None or best.plies <= plies:
                return best
        for nodes in self.vct_nodes:
            threats = core.solve_vct(self.board, self.winner, nodes)
            if threats.proof is not None and (best is None or threats.plies < best.plies):
                best = threats.proof
            if best is not None and (plies is None or best.plies <= plies):
                return best
            if threats.status == "none" or (plies is not None and best is not None):
                break
        return best

    def defend(self) -> Step:
        """The loser is to move: a step without a move."""
        board = self.board
        threat = self._threat()
        otherwise = None
        if threat is None:
            replies = board.legal_cells()
        else:
            otherwise, replies = self._defence(threat)
        answers = {}
        for reply in replies:
            board.play(reply)
            if board.winner != core.EMPTY:
                raise Unproven
            try:
                answers[reply] = self.attack()
            finally:
                board.undo()
        if not answers and otherwise is None:
            raise Unproven  # no legal move: a draw
        return Step(None, answers, otherwise)

    def _threat(self) -> list[int] | None:
        """The line of fours by which the winner would win if the loser passed, no longer than the tree promises."""
        board = self.board
        if board.count(1 - self.winner, core.CLASS_FIVE):
            raise Unproven
        plies, _ = self._known()
        fours = core.solve_vcf(board, self.winner, VCF_NODES)
        if fours.status == "win" and plies is not None and len(fours.line) + 3 > -plies > 3:
            fours = core.solve_vcf(board, self.winner, VCF_NODES, fours=(-plies - 2) // 2)
        return fours.line if fours.status == "win" else None


class _CaroMaker(_Maker):
    """Under caro a four can be stopped at the ends of its row as well, and a line of fours may need another answer to
    each of the stops, or after a distant reply another line. Slower: every answer is looked for on the board."""

    def _read(self, proof: core.Proof) -> Step:
        board = self.board
        board.side = self.winner
        board.play(proof.move)
        step = Step(proof.move)
        try:
            if board.winner == core.EMPTY:
                for reply, answer in proof.replies.items():
                    step.replies[reply] = self._after(reply, answer)
                if not board.count(self.winner, core.CLASS_FIVE):
                    step.otherwise, replies = self._defence(proof.threat)
                    for reply in replies:
                        if reply not in step.replies:
                            step.replies[reply] = self._after(reply, None)
        finally:
            board.undo()
        return step

    def _after(self, reply: int, answer: core.Proof | None) -> Step:
        """What meets a reply: the proof's answer, or a line of fours that has to be found."""
        self.board.side = 1 - self.winner
        self.board.play(reply)
        try:
            if answer is None:
                fours = core.solve_vcf(self.board, self.winner, VCF_NODES)
                if fours.status != "win":
                    raise Unproven
                answer = core.prove_fours(self.board, self.winner, fours.line)
            return self._read(answer)
        finally:
            self.board.undo()

    def _defence(self, line: list[int]) -> tuple[Step, list[int]]:
        side = self.board.side
        step = self._read(core.prove_fours(self.board, self.winner, line))
        self.board.side = 1 - self.winner
        replies = escapes(self.board, self.winner, step)
        self.board.side = side
        if replies is None:
            raise Unproven
        return step, replies


def escapes(board: core.Board, winner: int, strategy: Step) -> list[int] | None:
    """The legal replies of the loser, whose turn it is, after which the strategy no longer wins. None: it does not even
    win after a pass, the loser has a five, or all this is too much to check."""
    checker = Checker(text_of(board, winner, strategy), MOST_FOR_ESCAPES)
    names = {cell_name(board, cell): cell for cell in board.all_cells()}
    step = checker.following[checker.line_starts[-1]]
    try:
        footprint = checker.loser_is_quiet(0)
        _, footprint = checker.run(checker.walk(step, 1))
    except (Refuted, Unusable):
        return None
    found = []
    for cell in bits(footprint & checker.board.sets[core.EMPTY]):
        reply = names[checker.name(cell)]
        if not board.legal(reply):
            continue
        before = bytes(checker.board.stone), list(checker.board.sets)
        checker.board.put(cell, 1 - winner)
        try:
            checker.run(checker.walk(step, 0))
        except (Refuted, Unusable):
            found.append(reply)
        checker.board.stone[:], checker.board.sets[:] = before
        checker.path.clear()
    return found


def read(proof: core.Proof, seen: dict[int, Step]) -> Step:
    """A proof of the core as a strategy; shared parts stay shared."""
    if id(proof) not in seen:
        replies = {cell: read(answer, seen) for cell, answer in proof.replies.items()}
        seen[id(proof)] = Step(proof.move, replies, chain(proof.threat[::2]))
    return seen[id(proof)]
