"""What `bench proofs` counts: claims, their certificates, and what failed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import cython_core as core
from renga.certificate import Certificate, Step, certify
from renga.prove import VCT_NODES, prove
from renga.verify import Refuted, Unusable

STONES = (*VCT_NODES, 2_000_000, 20_000_000)
"""For a win by threats, tried one after the other."""
LONG = 15
"""Plies of a win above which it counts as long."""


@dataclass
class Tally:
    """What was proven, and how it went."""

    wins: int = 0
    losses: int = 0
    long_wins: int = 0
    quiet: int = 0
    unsolved: int = 0
    failures: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    positions: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    """Seconds of processor time that one claim took at most, its verification included."""
    stones: int = VCT_NODES[-1]
    """For a win by threats."""
    seen: set[int] = field(default_factory=set)

    def enter(
        self, name: str, board: core.Board, winner: int, claimed: int, searcher: core.Searcher | None = None,
        solution: core.Proof | None = None, known: Sequence[Step] = (),
    ) -> Step | None:
        """Certifies a claim; `claimed` plies, 0 where the solvers are only asked. `known` are strategies of earlier
        certificates, followed to this position: one of them may be what keeps the claim. Returns the strategy."""
        if board.key in self.seen:
            return None
        self.seen.add(board.key)
        started = time.process_time()
        try:
            stones = tuple(takewhile(lambda part: part <= self.stones, STONES))
            certificate = prove(board, winner, searcher, stones, solution=solution)
            if claimed and (certificate is None or certificate.plies > claimed):
                certificate = min(_all_of(board, winner, certificate, known), key=lambda one: one.plies, default=None)
        except (Refuted, Unusable) as error:
            self.failures.append(f"{name}: {error}")
            return None
        finally:
            spent = time.process_time() - started
            self.seconds, self.longest = self.seconds + spent, max(self.longest, spent)
        if certificate is None and claimed:
            self.failures.append(f"{name}: {claimed} plies were claimed, but the proof is not complete")
        elif certificate is None:
            self.unsolved += 1
        elif claimed and certificate.plies > claimed:
            self.failures.append(f"{name}: {claimed} plies were claimed, {certificate.plies} are needed")
        else:
            self.count(board, winner, certificate)
            return certificate.strategy
        return None

    def count(self, board: core.Board, winner: int, certificate: Certificate) -> None:
        won = board.side == winner
        self.wins, self.losses = self.wins + won, self.losses + (not won)
        self.long_wins += won and certificate.plies > LONG
        self.quiet += won and has_quiet_move(board, winner, certificate.strategy)
        self.sizes.append(len(certificate.bytes))
        self.positions += certificate.verified.positions

    def report(self, title: str) -> str:
        sizes = self.sizes or [0]
        return (
            f"{title}: verified {self.wins} wins ({self.long_wins} longer than {LONG} plies, {self.quiet} with quiet "
            f"moves) and {self.losses} losses; unsolved {self.unsolved}, failures {len(self.failures)}\n"
            f"  packed {sum(sizes)} bytes, median {statistics.median(sizes):.0f}, largest {max(sizes)}; "
            f"{self.positions} positions verified; {self.seconds:.1f} s of processor time in all, "
            f"{self.longest:.1f} s at most for one"
        )


def has_quiet_move(board: core.Board, winner: int, strategy: Step) -> bool:
    """Does the winner play a move that is neither a four nor an open three, in an answer that the proof lists?"""
    seen = set()
    waiting: list[tuple[Step, core.Board]] = [(strategy, board.copy())]
    while waiting:
        step, position = waiting.pop()
        if id(step) in seen:
            continue
        seen.add(id(step))
        if step.move is not None:
            if position.class_of(step.move, winner) < core.CLASS_THREE:
                return True
            position.put(step.move, winner)
        for reply, answer in step.replies.items():
            after = position.copy()
            after.put(reply, 1 - winner)
            waiting.append((answer, after))
    return False


def _all_of(
    board: core.Board, winner: int, certificate: Certificate | None, known: Sequence[Step]
) -> Iterator[Certificate]:
    if certificate is not None:
        yield certificate
    for strategy in known:
        yield certify(board, winner, strategy)


def followed(strategy: Step, move: int, reply: int) -> Step | None:
    """What is left of a strategy against the side to move after its move and the winner's reply; None if it has another
    reply."""
    answer = strategy.replies.get(move, strategy.otherwise)
    return None if answer is None or answer.move != reply else Step(None, answer.replies, answer.otherwise)
