"""Game files on disk: a path's suffix says which format it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from renga.game import Game
from renga.psq import read_psq, write_psq
from renga.sgf import read_sgf, write_sgf

LARGEST_FILE = 16 << 20
"""Bytes. A game of a thousand moves with evaluations has a tenth of one megabyte."""

Format: TypeAlias = "tuple[Callable[[bytes, str | None], Game], Callable[[Game], str]]"
FORMATS: dict[str, Format] = {".sgf": (read_sgf, write_sgf), ".psq": (read_psq, write_psq)}
"""Suffix -> how to read bytes, how to write text."""


def _format(path: Path) -> Format:
    known = FORMATS.get(path.suffix.lower())
    if known is None:
        raise ValueError(f"{path.name}: game files end in {' or '.join(FORMATS)}")
    return known


def read_game(path: str | os.PathLike[str], rule: str | None = None) -> Game:
    """The (first) game of a .sgf or .psq file. `rule`: instead of the one the file names, or of freestyle where it
    names none. ValueError says what is wrong with the file, and where; OSError if it cannot be read."""
    path = Path(path)
    read, _ = _format(path)
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"{path.name}: larger than {LARGEST_FILE >> 20} MB, that is no game")
    try:
        return read(data, rule)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def write_game(game: Game, path: str | os.PathLike[str]) -> None:
    """Writes a game as SGF, or, its main line only, as .psq. ValueError where the format cannot hold it: then no file
    is touched."""
    if not isinstance(game, Game):
        raise ValueError(f"{game!r} is no game: Game.from_board makes one of a board")
    path = Path(path)
    _, write = _format(path)
    path.write_bytes(write(game).encode())
