"""The network's trunk in the core: no library, no batch."""

from typing import Any

BLOCKS: tuple[str, ...]
"""Kinds of blocks that the core runs."""

def runs(blocks: str, channels: int, head: int) -> bool:
    """Is a trunk of this shape one for the core?"""

class Trunk:
    """The trunk of one network, from the tensors of its ONNX file: name -> flat buffer of floats.

    blocks: names of the blocks from the line features up, `sep` and `pool`. ValueError: this trunk cannot be run
    here, or a tensor is missing or has another size.
    """

    def __init__(self, tensors: dict[str, Any], blocks: str) -> None: ...
    @property
    def channels(self) -> int: ...
