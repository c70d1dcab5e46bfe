"""Windows, their parts and the features of boards in numpy: what training needs, and what checks the core's tables.

    window   = 5 cells to the left, centre, 5 cells to the right; cut off where the board ends
    cells    = 0 empty, 1 own, 2 opponent (or a stone of nobody)
    side     = (3^k - 1) / 2 + base-3 number of its k visible cells, the nearest first (most significant)
    index    = (left * 364 + right) * 3 + centre
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cython_core import RULES
from cython_core.learning import lookup
from cython_core.network.encoding import STEPS, VARIANTS, WINDOW_REACH, variant

Floats = npt.NDArray[np.float32]
Boards = npt.NDArray[np.uint8]
Table = npt.NDArray[np.int16]
Rows = npt.NDArray[np.int32]

VARIANT_OF = {(rule, side): variant(rule, side) for rule in RULES for side in (0, 1)}
"""(rule, side to move) -> variant."""


def side_codes(level: int) -> int:
    """How many codes one side of a window of half length `level` has: 1, 4, 13, 40, 121, 364."""
    return int(3 ** (level + 1) - 1) // 2


def window_count(level: int) -> int:
    return 3 * side_codes(level) ** 2


def window_parts(level: int) -> npt.NDArray[np.int32]:
    """[window_count(level), 3]: the windows of the level below around the left neighbour, the centre and the right one.

    A neighbour behind the edge has number window_count(level - 1): the row of zeros after the last window.
    """
    sides = side_codes(level)
    code = np.arange(sides)
    length = np.searchsorted(np.array([(3**k - 1) // 2 for k in range(1, level + 1)]), code, side="right")
    number = code - (3**length - 1) // 2
    # Side codes one cell shorter: without the farthest cell, and without the nearest one.
    near = np.where(length == level, (code - 1) // 3, code)
    scale = 3 ** np.maximum(length - 1, 0)
    first, rest = number // scale, (scale - 1) // 2 + number % scale

    def shifted(inner: npt.NDArray[np.int64], outer: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Code of the side that begins with the old centre `inner` and goes on with side `outer`, cut to level - 1."""
        cut, cells = outer, length[outer]
        while (long := cells > level - 2).any():
            cut, cells = np.where(long, (cut - 1) // 3, cut), np.where(long, cells - 1, cells)
        return (3 ** (cells + 1) - 1) // 2 + inner * 3**cells + cut - (3**cells - 1) // 2

    window = np.arange(window_count(level))
    left, right, centre = window // 3 // sides, window // 3 % sides, window % 3
    below = side_codes(level - 1)
    outside = window_count(level - 1)
    if level == 1:
        towards_left = np.where(length[left] > 0, first[left], outside)
        towards_right = np.where(length[right] > 0, first[right], outside)
        return np.stack([towards_left, centre, towards_right], 1).astype(np.int32)
    parts = np.empty((len(window), 3), np.int32)
    parts[:, 0] = np.where(length[left] > 0, (rest[left] * below + shifted(centre, right)) * 3 + first[left], outside)
    parts[:, 1] = (near[left] * below + near[right]) * 3 + centre
    parts[:, 2] = np.where(length[right] > 0, (shifted(centre, left) * below + rest[right]) * 3 + first[right], outside)
    return parts


def window_indices(boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """[n, height, width, 4]: window of every cell in every direction, for boards [n, height, width]."""
    n, height, width = boards.shape
    padded = np.full((n, height + 2 * WINDOW_REACH, width + 2 * WINDOW_REACH), 3, np.int16)
    padded[:, WINDOW_REACH:-WINDOW_REACH, WINDOW_REACH:-WINDOW_REACH] = boards
    out = np.empty((n, height, width, 4), np.int32)
    for direction, (dx, dy) in enumerate(STEPS):
        codes = []
        for sign in (-1, 1):
            code = np.zeros((n, height, width), np.int16)
            open_ = np.ones((n, height, width), bool)
            for distance in range(1, WINDOW_REACH + 1):
                y, x = WINDOW_REACH + sign * distance * dy, WINDOW_REACH + sign * distance * dx
                cell = padded[:, y : y + height, x : x + width]
                open_ &= cell != 3
                code = np.where(open_, 3 * code + 1 + cell, code)
            codes.append(code.astype(np.int32))
        out[..., direction] = (codes[0] * side_codes(WINDOW_REACH) + codes[1]) * 3 + boards
    return out


class WindowLookup:
    """Reduces the windows of boards to the distinct ones, level by level. Threads may share one."""

    def __init__(self) -> None:
        levels = range(WINDOW_REACH, 0, -1)
        self._parts = {level: window_parts(level) for level in levels}
        self._places = {level: np.full(VARIANTS * window_count(level) + 1, -1, np.int32) for level in levels}

    def __call__(self, boards: Boards, variants: npt.NDArray[np.uint8]) -> tuple[list[Rows], Rows]:
        """(the parts [windows, 3] of every level's windows from the lowest up, the window of every cell [n, h, w, 4]).

        Parts are numbers of windows of the level below, or how many there are: behind the edge. At the lowest level
        they are 3 * variant + cell, and 3 * VARIANTS.
        """
        rows = np.empty((*boards.shape, 4), np.int32)
        lookup.list_windows(np.ascontiguousarray(boards), variants, rows.reshape(-1))
        parts: list[Rows] = []
        wanted = rows
        for level, places in self._places.items():
            distinct = np.empty(min(wanted.size, len(places) - 1), np.int32)
            count = lookup.renumber(wanted.reshape(-1), places, distinct)
            wanted = np.empty((count, 3), np.int32)
            lookup.list_parts(distinct[:count], self._parts[level], window_count(level - 1), wanted)
            parts.insert(0, wanted)
        return parts, rows


def line_features(boards: Boards, table: Table, scales: Floats) -> Floats:
    """[n, channels, height, width]: four table rows added up for every cell; the core does the same, faster."""
    indices = window_indices(boards)
    total = np.zeros((*boards.shape, table.shape[1]), np.int32)
    for direction in range(4):
        total += table[indices[..., direction]]
    return np.ascontiguousarray((total * scales).transpose(0, 3, 1, 2), np.float32)
