"""Network inputs equal the sums written down plainly, on every size, with and without wide instructions."""

import array
import random

import pytest
from walks import cells_of, random_walk

import cython_core as core
from cython_core.network.features import write_line_features

ROWS = 397_488
SIZES = [(5, 5), (15, 15), (20, 20), (7, 13), (32, 31)]


def line_table(channels: int) -> memoryview:
    """Any int16 numbers will do, extreme ones too; repeatable and without numpy."""
    period = random.Random(channels).randbytes(2 * 10_007)
    data = (period * (ROWS * channels // 10_007 + 1))[: 2 * ROWS * channels]
    return memoryview(data).cast("h", (ROWS, channels))


def floats(*shape: int) -> memoryview:
    size = 1
    for length in shape:
        size *= length
    return memoryview(bytearray(4 * size)).cast("f", shape)


def scales_of(channels: int) -> array.array:
    return array.array("f", [0.001 * (channel + 1) for channel in range(channels)])


def some_board(rule: int, width: int, height: int) -> core.Board:
    board = random_walk(5, rule, width, height, width * height // 3)
    empty = [cell for cell in cells_of(board) if board.stone(cell) == core.EMPTY]
    board.put(empty[0], core.BLOCKED)
    return board


def seen(board: core.Board, cell: int) -> int:
    stone = board.stone(cell)
    return 0 if stone == core.EMPTY else 1 if stone == board.side else 2


@pytest.mark.parametrize("channels", [1, 8, 12, 32])
def test_line_features_are_the_scaled_sums_over_four_directions(channels: int) -> None:
    table, scales = line_table(channels), scales_of(channels)
    for number, (width, height) in enumerate(SIZES):
        board = some_board(core.RULES[number], width, height)
        for side in (core.BLACK, core.WHITE):
            board.side = side
            out = floats(channels, height, width)
            write_line_features(board, table, scales, out)
            for cell in random.Random(number).sample(cells_of(board), 25):
                rows = [board.window(cell, side, direction) * 3 + seen(board, cell) for direction in range(4)]
                x, y = core.xy(cell)
                for channel in range(channels):
                    total = sum(table[row, channel] for row in rows)
                    assert out[channel, y, x] == array.array("f", [total * scales[channel]])[0]


@pytest.mark.parametrize("channels", [8, 32, 64])
def test_wide_and_plain_code_give_the_same_bits(channels: int) -> None:
    table, scales = line_table(channels), scales_of(channels)
    for number, (width, height) in enumerate(SIZES):
        board = some_board(core.RULES[number], width, height)
        wide, plain = floats(channels, height, width), floats(channels, height, width)
        write_line_features(board, table, scales, wide)
        write_line_features(board, table, scales, plain, wide=False)
        assert bytes(wide) == bytes(plain)


def test_buffers_of_the_wrong_shape_are_refused() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    table, scales = line_table(8), scales_of(8)
    for out in (floats(7, 15, 15), floats(8, 14, 15), floats(8, 15, 16)):
        with pytest.raises(ValueError, match="buffer"):
            write_line_features(board, table, scales, out)
    with pytest.raises(ValueError, match="line table"):
        write_line_features(board, table, scales_of(7), floats(8, 15, 15))
    with pytest.raises(ValueError, match="line table"):
        write_line_features(board, memoryview(bytes(16)).cast("h", (1, 8)), scales, floats(8, 15, 15))
