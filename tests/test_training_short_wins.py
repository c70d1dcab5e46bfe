"""training.short_wins against the plain search of the reference, and on puzzles of known length."""

from __future__ import annotations

import pytest
from walks import random_walks, seen_by_reference

from bench.puzzles import data_folder, read_puzzles
from bench.reference import Cell, Position, defences, find_vcf, winning_cells
from cython_core import FREESTYLE, cell, xy
from training.short_wins import FOURS, starts_win

PUZZLES = data_folder() / "puzzles" / "vcf_freestyle15.tsv"


def plainly_starts_win(position: Position, move: Cell, fours: int) -> bool:
    attacker, after = position.side, position.with_stone(move, position.side)
    if not winning_cells(after, attacker) or winning_cells(after, 1 - attacker):
        return False
    replies = [after.with_stone(reply, 1 - attacker) for reply in defences(after, attacker)]
    return all(find_vcf(then, attacker, fours - 1) is not None for then in replies)


@pytest.mark.parametrize("nodes", [0, 1000], ids=["without the solver", "with it"])
def test_fours_are_counted_as_the_reference_counts_them(monkeypatch: pytest.MonkeyPatch, nodes: int) -> None:
    monkeypatch.setattr("training.short_wins.VCF_NODES", nodes)
    won = {1: 0, 2: 0, 3: 0}
    for board in random_walks(5, FREESTYLE, 60):
        position = seen_by_reference(board)
        for move in [move for kind in FOURS for move in board.cells(board.side, kind)]:
            for fours in won:
                found = starts_win(board, move, fours)
                assert found == plainly_starts_win(position, xy(move), fours)
                won[fours] += found
    assert 10 < won[1] < won[2] < won[3]


@pytest.mark.data
@pytest.mark.skipif(not PUZZLES.is_file(), reason="puzzle files (RENGA_DATA) are not here")
def test_a_puzzles_line_is_found_and_nothing_shorter() -> None:
    for puzzle in read_puzzles(PUZZLES).puzzles[::20]:
        board, first, fours = puzzle.board(FREESTYLE), cell(*puzzle.line[0]), len(puzzle.line) // 2
        assert starts_win(board, first, fours)
        assert fours == 1 or not starts_win(board, first, fours - 1)
