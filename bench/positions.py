"""The fixed positions of `bench speed` and the signature.

positions.txt holds one a line, `<rule> <size> <cells>`, black first. They come from games in which both sides drew
their moves by shape weights of the core, the last six from stones scattered at random. The weights were fitted anew
since, so the file cannot be made again: it is what counts.
"""

from __future__ import annotations

from pathlib import Path

import cython_core as core
from bench.notation import read_cells, read_rule, read_size

POSITIONS = Path(__file__).parent / "positions.txt"


def read_positions(path: Path = POSITIONS) -> list[core.Board]:
    """Boards with the moves played, in the order of the file."""
    boards = []
    for line in path.read_text().splitlines():
        words = line.partition("#")[0].split(maxsplit=2)
        if not words:
            continue
        width, height = read_size(words[1])
        board = core.Board(width, height, read_rule(words[0]))
        for x, y in read_cells(words[2] if len(words) > 2 else "", height):
            board.play(core.cell(x, y))
        boards.append(board)
    return boards
