"""The opening book in a game: which move of it is played, without a search.

Owns the choice among its moves, and whether there is a book at all, which is said once. `book_file` reads it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from brain.book_file import MOST_STONES, Answer, BookError, BookFile, in_turn
from brain.position_key import key_of, onto_key
from brain.records import Decision, Line, Request, Task
from brain.symmetry import Symmetry, symmetries
from brain.weights import weights_folder
from cython_core import Board

DEFAULT_NAME = "renga.book"
MARGIN = 0.01
"""Moves whose win rate is this close to the best one's are as good: a slightly longer search might have put any of them
first."""


class Book:
    """At most one book. path: another than the shipped one; wanted: False for none at all."""

    def __init__(
        self, say: Callable[[str], None] = lambda text: None, path: Path | None = None, wanted: bool = True
    ) -> None:
        self._say, self._path, self._wanted = say, path, wanted
        self._file: BookFile | None = None

    def open(self) -> BookFile:
        """The file, read once; BookError if it is missing or damaged."""
        if self._file is None:
            self._file = BookFile(weights_folder() / DEFAULT_NAME if self._path is None else self._path)
        return self._file

    def decide(self, request: Request, chance: random.Random) -> Decision | None:
        """A move, or a step of swap2, from the book. None where it has none, and where a search was asked for: with
        moves ruled out, or limited by nodes or depth, as is done for repeatable results and for weaker play.

        Among equals `chance` decides, moves and orientations alike: who always plays the same loses the same game again
        and again, once somebody has found it.
        """
        board, limits = request.board, request.limits
        if not self._wanted or board.ply > MOST_STONES or request.task not in (Task.MOVE, Task.SWAP2):
            return None
        if request.blocked or limits.max_nodes or limits.max_depth:
            return None
        try:
            answers = self.open().answers((board.rule, board.width, board.height))
        except (BookError, MemoryError) as error:
            self._wanted = False
            self._say(f"playing without book: {str(error) or 'out of memory'}")
            return None
        if request.task is Task.SWAP2 and board.ply == 0:
            offers = [answer for answer in answers.values() if answer.offer]
            return _offered(chance.choice(offers), board, chance) if offers else None
        answer = answers.get(key_of(board))
        if answer is None:
            return None
        line = _move(answer, board, chance)
        if request.task is Task.SWAP2 and answer.lines[0].value < 0.5:
            return Decision((), swap=True, book=line)
        return Decision((line.move,), book=line)


def equals(lines: Sequence[Line]) -> list[Line]:
    """Those as good as the first, which is the best. Books are written in tenths of a percent."""
    return [line for line in lines if round(lines[0].value - line.value, 3) <= MARGIN]


def _move(answer: Answer, board: Board, chance: random.Random) -> Line:
    """One of the best moves, on this board."""
    line = chance.choice(equals(answer.lines))
    move = _back(chance.choice(onto_key(board)))[line.move]
    return replace(line, move=move, pv=(move,))


def _offered(answer: Answer, board: Board, chance: random.Random) -> Decision:
    """The three stones in any orientation; the line has them all, and the win rate of white, who is to move then."""
    turned = chance.choice(symmetries(board.width, board.height))
    cells = tuple(turned[cell] for cell in in_turn(answer.key))
    return Decision(cells, book=replace(answer.lines[0], move=cells[0], pv=cells))


def _back(symmetry: Symmetry) -> Symmetry:
    return {there: here for here, there in symmetry.items()}
