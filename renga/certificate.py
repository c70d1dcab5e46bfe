"""Certificates: a winner's strategy as the text that `renga.verify` checks. docs/proofs.md describes the format.

Owns the strategy tree and its writing. How a strategy is found is `renga.prove`'s business.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import cython_core as core
from renga.verify import MOST_POSITIONS, Verified, verify

SIDES = ("black", "white")
LONGEST_CLAIM = 9999
"""Plies claimed while the true number is being measured; no game lasts as long."""


@dataclass(eq=False, slots=True)
class Step:
    """Play `move` (None: the loser is to move already). After a reply in `replies` go on there; after any other make
    five where that is possible, else go on with `otherwise`."""

    move: int | None
    replies: dict[int, Step] = field(default_factory=dict)
    otherwise: Step | None = None


def chain(moves: Iterable[int]) -> Step | None:
    """The strategy of playing these moves one after the other, whatever the loser does; None for no move."""
    step = None
    for move in reversed(list(moves)):
        step = Step(move, otherwise=step)
    return step


@dataclass(frozen=True)
class Certificate:
    """A proof that has been verified."""

    text: str
    verified: Verified
    strategy: Step = field(repr=False, compare=False)

    @property
    def plies(self) -> int:
        """The number of plies after which the winner has made five at the latest."""
        return self.verified.plies

    @property
    def bytes(self) -> bytes:
        """The content of a file that ends in .gz."""
        return packed(self.text)

    def write(self, path: Path) -> None:
        """To a file, packed if its name ends in .gz."""
        path.write_bytes(self.bytes if path.suffix == ".gz" else self.text.encode("ascii"))


def packed(text: str) -> bytes:
    """The content of a file that ends in .gz: the same for the same text."""
    return gzip.compress(text.encode("ascii"), mtime=0)


def certify(board: core.Board, winner: int, strategy: Step, limit: int = MOST_POSITIONS) -> Certificate:
    """The certificate of a strategy from this position; verify.Refuted or verify.Unusable if it does not hold."""
    lines = _lines(board, strategy)
    plies = verify(_text(board, winner, LONGEST_CLAIM, lines).encode(), limit).plies
    text = _text(board, winner, plies, lines)
    return Certificate(text, verify(text.encode(), limit), strategy)


def certificate_text(board: core.Board, winner: int, strategy: Step, plies: int) -> str:
    """The text of a certificate that nobody has verified yet."""
    return _text(board, winner, plies, _lines(board, strategy))


def text_of(board: core.Board, winner: int, strategy: Step) -> str:
    """A strategy against whatever the loser, to move, may reply, as the text of a certificate that claims no length."""
    return _text(board, winner, LONGEST_CLAIM, _lines(board, Step(None, otherwise=strategy)))


def cell_name(board: core.Board, cell: int) -> str:
    """Column letter from the left and row number from the bottom: `h8`; the columns after z are aa to af."""
    x, y = core.xy(cell)
    return f"{'a' if x > 25 else ''}{chr(ord('a') + x % 26)}{board.height - y}"


def _text(board: core.Board, winner: int, plies: int, lines: list[str]) -> str:
    stones: dict[int, list[str]] = {core.BLACK: [], core.WHITE: [], core.BLOCKED: []}
    for cell, colour in sorted(board.history):
        stones[colour].append(cell_name(board, cell))
    head = [
        "renga-proof 1",
        f"rule {core.RULE_BOOK[board.rule].name}",
        f"size {board.width}x{board.height}",
        " ".join(["black", *stones[core.BLACK]]),
        " ".join(["white", *stones[core.WHITE]]),
        *([" ".join(["blocked", *stones[core.BLOCKED]])] if stones[core.BLOCKED] else []),
        f"turn {SIDES[board.side]}",
        f"claim {SIDES[winner]} wins within {plies} plies",
        f"tree {len(lines)}",
    ]
    return "\n".join([*head, *lines, "end", ""])


def _lines(board: core.Board, strategy: Step) -> list[str]:
    """The lines of a tree, each after those it refers to; equal ones once."""
    numbers: dict[str, int] = {}
    written: dict[int, int] = {}
    stack = [strategy]
    while stack:
        step = stack[-1]
        steps = _chain_of(step)
        missing = [answer for part in steps for answer in part.replies.values() if id(answer) not in written]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if id(step) not in written:
            text = " ".join(_word(board, part, written) for part in steps)
            written[id(step)] = numbers.setdefault(text, len(numbers) + 1)
    lines = list(numbers)
    root = written[id(strategy)]
    assert root == len(lines), "the root refers to every other line, so it is written last"
    return lines


def _chain_of(step: Step | None) -> list[Step]:
    found = []
    while step is not None:
        found.append(step)
        step = step.otherwise
    return found


def _word(board: core.Board, step: Step, written: dict[int, int]) -> str:
    move = "-" if step.move is None else cell_name(board, step.move)
    targets: dict[int, list[str]] = {}
    for reply, answer in sorted(step.replies.items()):
        targets.setdefault(written[id(answer)], []).append(cell_name(board, reply))
    table = " ".join(f"{','.join(replies)}:{number}" for number, replies in targets.items())
    return f"{move}({table})" if table else move
