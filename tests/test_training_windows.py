"""training.windows: the numbering of windows by its formula, by its parts and in the core."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import SIZES, board_of, random_boards

import cython_core as core
from cython_core.network.encoding import STEPS, VARIANTS, WINDOW_REACH, WINDOW_ROWS
from cython_core.network.features import write_line_features
from training.windows import VARIANT_OF, line_features, side_codes, window_count, window_indices, window_parts


def slow_index(cells: np.ndarray, x: int, y: int, dx: int, dy: int, half: int) -> int:
    """The formula of training/windows.py, cell by cell."""
    codes = []
    for sign in (-1, 1):
        seen = []
        for distance in range(1, half + 1):
            at = y + sign * distance * dy, x + sign * distance * dx
            if not (0 <= at[0] < cells.shape[0] and 0 <= at[1] < cells.shape[1]):
                break
            seen.append(int(cells[at]))
        number = sum(value * 3 ** (len(seen) - 1 - place) for place, value in enumerate(seen))
        codes.append((3 ** len(seen) - 1) // 2 + number)
    return (codes[0] * side_codes(half) + codes[1]) * 3 + int(cells[y, x])


def test_windows_are_counted_by_level() -> None:
    assert [window_count(level) for level in range(1, 6)] == [48, 507, 4800, 43923, WINDOW_ROWS]


def test_window_indices_follow_the_formula_and_the_core() -> None:
    for height, width in SIZES:
        cells = random_boards(1, height, width)[0]
        found = window_indices(cells[None])[0]
        board = board_of(cells, core.FREESTYLE, core.BLACK)
        for y in range(height):
            for x in range(width):
                for direction, (dx, dy) in enumerate(STEPS):
                    index = found[y, x, direction]
                    assert index == slow_index(cells, x, y, dx, dy, WINDOW_REACH)
                    assert index // 3 == board.window(core.cell(x, y), core.BLACK, direction)


@pytest.mark.parametrize("level", range(1, WINDOW_REACH + 1))
def test_parts_of_a_window_are_the_windows_of_its_neighbours(level: int) -> None:
    parts = window_parts(level)
    assert len(parts) == window_count(level)
    for width in (1, 2, 3, 6, 12):
        row = random_boards(1, 1, width, seed=width)[0]
        for x in range(width):
            found = parts[slow_index(row, x, 0, 1, 0, level)]
            for place, at in enumerate((x - 1, x, x + 1)):
                inside = 0 <= at < width
                expected = slow_index(row, at, 0, 1, 0, level - 1) if inside else window_count(level - 1)
                assert found[place] == expected


def test_every_variant_has_a_number_and_only_renju_has_two() -> None:
    assert sorted(set(VARIANT_OF.values())) == list(range(VARIANTS))
    assert [rule for rule in core.RULES if VARIANT_OF[rule, 0] != VARIANT_OF[rule, 1]] == [core.RENJU]


def test_the_core_sums_the_same_features() -> None:
    rng = np.random.default_rng(3)
    table = rng.integers(-30000, 30000, (WINDOW_ROWS, 16)).astype(np.int16)
    scales = rng.random(16).astype(np.float32)
    for rule, side in ((core.FREESTYLE, core.BLACK), (core.RENJU, core.WHITE)):
        for height, width in SIZES:
            cells = random_boards(1, height, width)[0]
            out = np.zeros((16, height, width), np.float32)
            write_line_features(board_of(cells, rule, side), table, scales, out)
            assert np.allclose(out, line_features(cells[None], table, scales)[0], rtol=1e-5)
