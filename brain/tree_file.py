"""YXHASHDUMP and YXHASHLOAD: the search tree in a file, for going on with an analysis another day.

Compressed: a line that says whose file it is, a line of JSON with the position, and the core's bytes (`Searcher.pack`).
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cython_core as core
from brain import protocol
from brain.file_names import complaint

if TYPE_CHECKING:
    from brain.engine import Engine

FIRST_LINE = b"Renga search tree 1\n"
LONGEST_LINE = 1 << 16
FAST = 1
"""Compression: a third of the size for a few seconds a gigabyte; more costs minutes."""


class TreeFileError(Exception):
    """The tree cannot be written or read; its text says why."""


def answer(verb: str, path: str, engine: Engine) -> list[str]:
    """One line: how many positions were written or read, or why none."""
    name = protocol.clean(path)
    try:
        if verb == "YXHASHDUMP":
            return [protocol.message(f"{_write(path, engine)} positions of the search tree written to {name}")]
        return [protocol.message(f"{_read(path, engine)} positions of the search tree read from {name}")]
    except TreeFileError as error:
        return [protocol.message(f"'{path}': {error}")]
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return [protocol.message(f"'{path}': that is no search tree, or a damaged one")]
    except OSError as error:
        return [protocol.message(f"'{path}': {error.strerror or error}")]


def _write(path: str, engine: Engine) -> int:
    """Beside the file first: one that is there already stays whole until the new one is."""
    thinker = engine.thinker
    if thinker.tree is None or thinker.position is None:
        raise TreeFileError("nothing has been searched yet")
    part = f"{path}.part"
    _refuse_devices(path)
    _refuse_devices(part, part)
    try:
        with gzip.open(part, "wb", compresslevel=FAST) as file:
            file.write(FIRST_LINE + json.dumps(_described(thinker.position)).encode() + b"\n")
            count = thinker.tree.pack(thinker.position.copy(), file.write)
        if not count:
            raise TreeFileError("the search tree is empty")
        os.replace(part, path)  # noqa: PTH105 - as the name was given
    except BaseException:
        with suppress(OSError):
            Path(part).unlink()
        raise
    return count


def _read(path: str, engine: Engine) -> int:
    """Instead of the tree that is there; that one is lost where the file turns out to be damaged."""
    present = engine.present
    _refuse_devices(path)
    with gzip.open(path, "rb") as file:
        if file.read(len(FIRST_LINE)) != FIRST_LINE:
            raise TreeFileError("that is no search tree, or a damaged one")
        try:
            board = _position(json.loads(file.readline(LONGEST_LINE)))
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise TreeFileError("that is no search tree, or a damaged one") from error
        if (board.rule, board.width, board.height) != (present.rule, present.width, present.height):
            raise TreeFileError("that tree is of another rule or size")
        tree = engine.thinker.own_tree(board, engine.settings.resources(os.cpu_count() or 1))
        try:
            count = tree.unpack(board.copy(), file.read)
            if file.read(1):
                raise ValueError("it goes on where it should end")
        except BaseException as error:
            tree.forget()
            if isinstance(error, ValueError):
                raise TreeFileError(str(error)) from error
            raise
    return count


def _refuse_devices(path: str, called: str = "that") -> None:
    if (why := complaint(path)) is not None:
        raise TreeFileError(f"{called} {why}")


def _described(board: core.Board) -> dict[str, Any]:
    stones = [[*core.xy(cell), colour] for cell, colour in board.history]
    return {"rule": board.rule, "width": board.width, "height": board.height, "side": board.side, "stones": stones}


def _position(told: dict[str, Any]) -> core.Board:
    """ValueError and its like where this describes no position."""
    board = core.Board(told["width"], told["height"], told["rule"])
    for x, y, colour in told["stones"]:
        if not (0 <= x < board.width and 0 <= y < board.height):
            raise ValueError("off the board")
        board.put(core.cell(x, y), colour)
    board.settle()
    board.side = told["side"]
    return board
