"""The network's trunk in the core: no library, no batch."""

from typing import Any

from typing_extensions import Buffer

from cython_core.rules.position import Board

class Trunk:
    """The trunk of one network, from the tensors of its ONNX file: name -> flat buffer of floats.

    blocks: names of the blocks from the line features up, `sep` and `pool`. ValueError: this trunk cannot be run
    here, or a tensor is missing or has another size.
    """

    def __init__(self, tensors: dict[str, Any], blocks: str) -> None: ...
    @property
    def channels(self) -> int: ...
    def judge(
        self, board: Board, table: Buffer, scales: Buffer
    ) -> tuple[list[float], tuple[float, float, float]]:
        """(policy logits, row by row; win, draw, loss shares) of the side to move, from that side's line table."""
