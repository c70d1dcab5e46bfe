"""Network inputs: summed line features by table, and the planes of the whole network."""

from typing_extensions import Buffer

from cython_core.position import Board

def write_line_features(
    board: Board, table: Buffer, scales: Buffer, out: Buffer, *, wide: bool = True
) -> None:
    """Line features of the side to move into `out` [channels, height, width].

    `table` is [WINDOW_ROWS, channels]; `wide=False` keeps to the code that runs on every machine.
    """

def write_planes(board: Board, out: Buffer) -> None:
    """The planes of the side to move into `out` [PLANES, height, width]."""
