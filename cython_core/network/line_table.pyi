"""The line part of a network as a table: the features of every window, built level by level."""

from typing import Any

def line_table(tensors: dict[str, Any], rule: int, side: int) -> Any:
    """int16 [WINDOW_ROWS, channels]: the line features of every window for one side to move, in steps of `line.scales`.

    tensors: of the line part's ONNX file, name -> flat buffer of floats. ValueError: they are not such a part.
    """
