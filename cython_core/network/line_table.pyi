"""The line part of a network as a table: the features of every window, built level by level."""

from typing import Any

from typing_extensions import Buffer

def line_table(tensors: dict[str, Any], rule: int, side: int, steps: Buffer | None = None) -> Any:
    """int16 [WINDOW_ROWS, channels]: the line features of every window for one side to move, in steps of `line.scales`
    or of `steps`, a buffer like it.

    tensors: of the network's ONNX file, name -> flat buffer of floats. ValueError: they are not such a part.
    """
