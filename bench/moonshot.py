"""`python -m bench moonshot`: the first player wins from the centre, proven reply by reply.

Every reply to the first move, one of each kind up to symmetry, is a task of its own for the proof-number search; they
take turns, and a win found for one is tried against all others. All that is known is text in a folder, and is only
appended to: `positions.txt` has the quiet moves that were proven, `replies.txt` the replies that are done, and each of
these has a certificate beside it. A run that was killed goes on from there. `--status` only tells how it stands,
`--certificates` makes again from the state what is not there, `--verify` checks what is.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cython_core as core
from bench.notation import RULE_NAMES, read_rule
from brain.symmetry import by_distance, distinct, keeping
from renga.certificate import Step, cell_name, certificate_text, packed
from renga.proof_search import ProofSearch
from renga.proof_state import append_line, whole_lines
from renga.verify import Refuted, Unusable, verify

FOLDER = Path("docs/results/moonshot")
FIRST_SLICE_S = 120.0
REPLAY_STONES = 400_000_000
"""For the last check of a reply's strategy before it is written."""
VERIFY_POSITIONS = 10**9


class Moonshot:
    """A position that is lost for the side to move, what is proven of that, and where it is written."""

    def __init__(self, board: core.Board, folder: Path) -> None:
        self.board, self.folder = board, folder
        self.winner = 1 - board.side
        folder.mkdir(parents=True, exist_ok=True)
        self.cells = {self.name(cell): cell for cell in by_distance(self.board)}
        self.replies = distinct(self.board, sorted(by_distance(self.board), key=self.distance, reverse=True))
        """Far ones first: they are easy."""
        self.proven = self._read()
        self._search: ProofSearch | None = None

    def name(self, cell: int) -> str:
        return cell_name(self.board, cell)

    def distance(self, cell: int) -> int:
        """From the centre, squared and fourfold."""
        x, y = core.xy(cell)
        return (2 * x - self.board.width + 1) ** 2 + (2 * y - self.board.height + 1) ** 2

    def kind(self, cell: int) -> int:
        """The one of its kind that is in `replies`."""
        return next(to for symmetry in keeping(self.board) if (to := symmetry[cell]) in self.replies)

    def certificate(self, reply: int) -> Path:
        return self.folder / f"{self.name(reply)}.proof.gz"

    @property
    def waiting(self) -> list[int]:
        return [reply for reply in self.replies if reply not in self.proven]

    @property
    def missing(self) -> list[int]:
        """Replies that are proven and have no certificate beside the state."""
        return [cell for cell in map(self._cell, self.proven.values()) if not self.certificate(cell).exists()]

    def status(self) -> str:
        lines = [f"{len(self.proven)} of {len(self.replies)} kinds of replies are proven to lose"]
        lines += [f"  {text}" for text in self.proven.values()]
        lines += [f"waiting: {' '.join(map(self.name, self.waiting))}"] if self.waiting else []
        return "\n".join(lines)

    def run(self, seconds: float) -> None:
        """Goes on until everything is proven or the time is over."""
        end, part = time.process_time() + seconds, FIRST_SLICE_S
        if self.proven and self.waiting:
            # Proven again from the state, for most of what wins after one reply wins after the others.
            self._searching(self.proven_last()).run(min(part, seconds))
        while self.waiting and time.process_time() < end:
            for reply in self.waiting:
                left = end - time.process_time()
                if reply not in self.proven and left > 0:
                    self.try_reply(reply, min(part, left))
            part *= 2

    def try_reply(self, reply: int, seconds: float) -> None:
        search = self._searching(reply)
        started, before = time.process_time(), search.positions
        if search.run(seconds):
            self.enter(reply, search.strategy())
        print(
            f"{self.name(reply)}: {'proven' if search.proven else 'given up' if search.exhausted else 'open'}, "
            f"numbers {search.root.proof} and {search.root.disproof}, {search.positions - before} positions, "
            f"{time.process_time() - started:.1f} s of processor time", flush=True,
        )  # fmt: skip

    def make_again(self, seconds: float) -> None:
        """The certificates of what is proven that are not there, as for a state that comes without them."""
        end = time.process_time() + seconds
        for reply in self.missing:
            left = end - time.process_time()
            if left > 0 and not self.certificate(reply).exists():
                search = self._searching(reply)
                if search.run(left):
                    strategy = search.strategy()
                    replay = core.Strategy(strategy)
                    for cell in self.missing:
                        if text := self._write(cell, strategy, replay):
                            print(f"made again: {text}", flush=True)

    def _searching(self, reply: int) -> ProofSearch:
        board = self.board.copy()
        board.play(reply)
        if self._search is None:
            self._search = ProofSearch(board, self.folder / "positions.txt", clock=time.process_time)
        self._search.turn_to(board)
        return self._search

    def proven_last(self) -> int:
        return self._cell(list(self.proven.values())[-1])

    def _cell(self, text: str) -> int:
        """The reply that a line of the state is about."""
        return self.cells[text.partition(" > ")[0]]

    def enter(self, reply: int, strategy: Step) -> None:
        """Writes what wins after this reply, and after each other one that it wins after as well."""
        replay = core.Strategy(strategy)
        for cell in (reply, *self.cells.values()):
            kind = self.kind(cell)
            if kind in self.proven:
                continue
            if text := self._write(cell, strategy, replay):
                append_line(self.folder / "replies.txt", text)
                self.proven[kind] = text
                print(f"proven: {text}", flush=True)

    def _write(self, cell: int, strategy: Step, replay: core.Strategy) -> str | None:
        """The certificate of a reply, if the strategy wins after it; what the state says of it then."""
        board = self.board.copy()
        board.play(cell)
        plies = replay.plies(board, self.winner, REPLAY_STONES)
        if plies is None:
            return None
        data = packed(certificate_text(board, self.winner, strategy, plies))
        self.certificate(cell).write_bytes(data)
        assert strategy.move is not None
        return f"{self.name(cell)} > {self.name(strategy.move)} within {plies} plies, {len(data)} bytes"

    def verify(self) -> bool:
        """Checks every certificate that is there, and misses those that are not. False unless all that is proven is
        verified."""
        for reply in self.missing:
            print(f"{self.name(reply)}: no certificate here, --certificates makes it again", flush=True)
        whole = bool(self.proven) and not self.missing
        for path in sorted(self.folder.glob("*.proof.gz")):
            started = time.process_time()
            try:
                found = verify(path.read_bytes(), VERIFY_POSITIONS)
                print(
                    f"{path.name}: VERIFIED {found.claim}: {found.lines} lines, {found.positions} positions, "
                    f"{time.process_time() - started:.1f} s", flush=True,
                )  # fmt: skip
            except (Refuted, Unusable) as error:
                whole = False
                print(f"{path.name}: FAILED {error}", flush=True)
        return whole

    def _read(self) -> dict[int, str]:
        """Kind of reply -> what is known of it."""
        path = self.folder / "replies.txt"
        proven = {}
        for number, line in enumerate(whole_lines(path), 1):
            name = line.partition(" > ")[0]
            if name not in self.cells:
                raise ValueError(f"{path}:{number}: not a reply: {line[:60]!r}")
            proven[self.kind(self.cells[name])] = line
        return proven


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rule", type=read_rule, default=core.FREESTYLE, help="default freestyle")
    parser.add_argument("--size", type=int, default=15, help="of the board (default 15)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"of the state (default {FOLDER})")
    parser.add_argument("--seconds", type=float, default=1e9, help="processor time to use (default: until it is done)")
    parser.add_argument("--status", action="store_true", help="say what is proven, and end")
    parser.add_argument("--certificates", action="store_true", help="make again those that are not there, and end")
    parser.add_argument("--verify", action="store_true", help="check the certificates that are there, and end")


def main(options: argparse.Namespace) -> int:
    """Returns 1 while something is not proven, or when a certificate fails or is missing."""
    board = core.Board(options.size, options.size, options.rule)
    board.play(core.cell(options.size // 2, options.size // 2))
    moonshot = Moonshot(board, options.folder / f"{RULE_NAMES[options.rule]}{options.size}")
    if options.verify:
        return 0 if moonshot.verify() else 1
    sys.setrecursionlimit(10_000)
    if options.certificates:
        moonshot.make_again(options.seconds)
        return 1 if moonshot.missing else 0
    if not options.status:
        moonshot.run(options.seconds)
    print(moonshot.status())
    return 1 if moonshot.waiting else 0
