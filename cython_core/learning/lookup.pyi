"""The distinct windows of a batch of boards, and of what parts they are made."""

from typing import Any

Buffer = Any
"""A contiguous array: uint8 for boards and variants, else int32."""

def list_windows(boards: Buffer, variants: Buffer, windows: Buffer) -> None:
    """Fills `windows` [n, height, width, 4], flat: variant * WINDOW_ROWS + window, for every cell and direction."""

def renumber(numbers: Buffer, places: Buffer, distinct: Buffer) -> int:
    """Makes the numbers that occur 0, 1, 2 ... and lists in `distinct` what they were; returns how many."""

def list_parts(windows: Buffer, table: Buffer, below: int, parts: Buffer) -> None:
    """Fills `parts` [n, 3] with the parts that the table names, by variant."""
