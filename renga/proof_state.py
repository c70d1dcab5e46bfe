"""What a long search has proven so far, as text: one line for each, only appended to, so that a kill loses nothing."""

from __future__ import annotations

import os
from pathlib import Path

import cython_core as core
from renga.certificate import cell_name


def whole_lines(path: Path) -> list[str]:
    """The lines of such a file, none if there is no file; one that a kill has cut short is left out."""
    return path.read_text(encoding="ascii").split("\n")[:-1] if path.exists() else []


def append_line(path: Path, line: str) -> None:
    """After the last whole line: what a kill has cut short makes room."""
    text = path.read_bytes() if path.exists() else b""
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        os.truncate(path, whole)
    with path.open("a", encoding="ascii") as file:
        file.write(f"{line}\n")


class ProofState:
    """Positions of an attacker and the moves that were proven to win there, kept in a file if there is a path."""

    def __init__(self, path: Path | None, start: core.Board) -> None:
        self._path, self._start, self._attacker = path, start.copy(), start.side
        self._moves = {} if path is None else self._read(path)

    def move(self, board: core.Board) -> int | None:
        """The one that was proven, by this search or an earlier one."""
        return self._moves.get(board.key)

    def enter(self, board: core.Board, move: int) -> str:
        """Keeps it. The position and the move as text."""
        stones: list[list[str]] = [[], []]
        for cell, colour in sorted(board.history):
            stones[colour].append(cell_name(board, cell))
        text = f"{' '.join(stones[core.BLACK])} / {' '.join(stones[core.WHITE])} > {cell_name(board, move)}"
        if self._path is not None and board.key not in self._moves:
            append_line(self._path, text)
        self._moves[board.key] = move
        return text

    def _read(self, path: Path) -> dict[int, int]:
        """Key of a position -> the move."""
        start = self._start
        names = {cell_name(start, cell): cell for cell in start.all_cells()}
        moves = {}
        for number, line in enumerate(whole_lines(path), 1):
            position, arrow, move = line.partition(" > ")
            black, slash, white = position.partition("/")
            words = [*black.split(), *white.split(), move]
            if not arrow or not slash or any(word not in names for word in words):
                raise ValueError(f"{path}:{number}: not a position and a move: {line[:60]!r}")
            board = core.Board(start.width, start.height, start.rule)
            for colour, stones in ((core.BLACK, black), (core.WHITE, white)):
                for word in stones.split():
                    board.put(names[word], colour)
            board.side = self._attacker
            moves[board.key] = names[move]
        return moves
