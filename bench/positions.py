"""The fixed positions of `bench speed` and the signature, and how they were made.

positions.txt holds one a line, `<rule> <size> <cells>`, black first. They come from games in which both
sides draw their moves by the core's shape weights; the file is what counts, the generator only tells where
it comes from.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import cython_core as core
from bench.notation import RULE_NAMES, read_cells, read_rule, read_size, write_cells
from cython_core.priors import weigh_candidates

CLASSES_OF_QUICK_WINS = (core.CLASS_DOUBLE_FOUR, core.CLASS_OPEN_FOUR, core.CLASS_FIVE)
LONG_VCF = 2000  # nodes
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
        for x, y in read_cells(words[2] if len(words) > 2 else ""):
            board.play(core.cell(x, y))
        boards.append(board)
    return boards


def weighted_game(board: core.Board, seed: int) -> Iterator[int]:
    """Plays the board on by shape weights, a little sharpened, to the end; yields each cell before it."""
    chance = random.Random(seed)
    while board.winner == core.EMPTY and board.empties:
        weights = [(cell, weight**1.5) for cell, weight in weigh_candidates(board) if board.legal(cell)]
        if not weights:
            return
        (cell,) = chance.choices([c for c, _ in weights], [w for _, w in weights])
        yield cell
        board.play(cell)


def scattered(board: core.Board, stones: int, seed: int) -> None:
    """Fills the board at random without giving anybody a quick win: room for long sequences of fours."""
    chance = random.Random(seed)
    cells = [core.cell(x, y) for y in range(board.height) for x in range(board.width)]
    chance.shuffle(cells)
    for cell in cells:
        board.play(cell)
        if any(board.count(colour, k) for colour in (core.BLACK, core.WHITE) for k in CLASSES_OF_QUICK_WINS):
            board.undo()
        if board.ply == stones:
            return


def make_positions(seed: int) -> Iterator[str]:
    """Lines for positions.txt: every rule on 15x15, freestyle on 20x20, a rectangle and the largest board.

    Nobody can make five at once in any of them. The last six are scattered stones, for the VCF solver.
    """
    chance = random.Random(seed)
    kinds = [(rule, 15, 15) for rule in core.RULES for _ in range(4)]
    kinds += [(core.FREESTYLE, 20, 20)] * 4 + [(core.STANDARD, 20, 15), (core.FREESTYLE, 32, 32)]
    for rule, width, height in kinds:
        length = chance.randint(8, 40)
        while True:
            board = core.Board(width, height, rule)
            cells = list(weighted_game(board, chance.getrandbits(32)))
            while board.ply > length:
                board.undo()
            fives = board.count(core.BLACK, core.CLASS_FIVE) + board.count(core.WHITE, core.CLASS_FIVE)
            if len(cells) > length and not fives:
                break
        yield write_position(board)
    for rule in (core.FREESTYLE, core.STANDARD, core.RENJU) * 2:
        while True:
            board = core.Board(15, 15, rule)
            scattered(board, 60, chance.getrandbits(32))
            if core.solve_vcf(board, board.side, LONG_VCF).nodes >= LONG_VCF:
                break
        yield write_position(board)


def write_position(board: core.Board) -> str:
    cells = write_cells(core.xy(cell) for cell, _ in board.history)
    return f"{RULE_NAMES[board.rule]} {board.width}x{board.height} {cells}"
