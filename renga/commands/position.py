"""The position that a command is about: a game file, or a code such as h8h7i9."""

from __future__ import annotations

import argparse
import os
from errno import EISDIR, ENOENT
from pathlib import Path
from typing import Any

from renga.board import Board
from renga.files import FORMATS, read_game
from renga.notation import RULES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "position", metavar="FILE|CODE", help="an .sgf or .psq file, or the moves of a position, as in h8h7i9"
    )
    parser.add_argument("--rule", help=f"one of {', '.join(RULES)} (default: the file's, or freestyle)")
    parser.add_argument("--size", help="15, or 20x15 for 20 columns and 15 rows (default: 15; a file has its own)")
    parser.add_argument("--move", type=int, metavar="N", help="the position after N moves (default: after the last)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def read(options: argparse.Namespace) -> Board:
    """ValueError or OSError says what is wrong with the file, the code or the options."""
    text: str = options.position
    if text.lower().endswith(tuple(FORMATS)) or Path(text).is_file():
        if options.size is not None:
            raise ValueError("--size is for position codes: a file has its own")
        nodes = read_game(text, options.rule).root.main_line()
        return nodes[_checked(options.move, len(nodes) - 1)].board()
    board = Board.from_code(text, size=options.size or 15, rule=options.rule or "freestyle")
    for _ in range(len(board.moves) - _checked(options.move, len(board.moves))):
        board.undo()
    return board


def _checked(number: int | None, last: int) -> int:
    if number is not None and not 0 <= number <= last:
        raise ValueError(f"--move {number}: there are {last} moves")
    return last if number is None else number


def proof_path(options: argparse.Namespace) -> Path | None:
    """Where a certificate is to be written; OSError before the work begins where that will not do."""
    if options.proof is None:
        return None
    path = Path(options.proof)
    if path.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path.parent))
    return path


def told(board: Board) -> dict[str, Any]:
    """What every JSON answer says of its position."""
    return {"code": board.code, "rule": board.rule, "size": [board.width, board.height], "turn": board.turn}


def headline(board: Board) -> str:
    return f"{board}\n{board.width}x{board.height} {board.rule}, {board.turn} to move"
