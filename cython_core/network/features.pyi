"""Network inputs: line features, summed up from a table."""

from typing_extensions import Buffer

from cython_core.rules.position import Board

def write_line_features(
    board: Board, table: Buffer, scales: Buffer, out: Buffer, *, wide: bool = True
) -> None:
    """Line features of the side to move into `out` [channels, height, width].

    `table` is [WINDOW_ROWS, channels]; `wide=False` keeps to the code that runs on every machine.
    """
