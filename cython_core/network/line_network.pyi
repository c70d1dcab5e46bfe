"""Evaluators whose first layers are tabulated: `LineNetwork` runs the rest here, `LineInputs` leaves it to others."""

from typing import Any

from typing_extensions import Buffer

from cython_core.network.evaluator import Evaluator

class LineEvaluator(Evaluator):
    @property
    def black_table(self) -> Any: ...
    @property
    def white_table(self) -> Any: ...
    @property
    def scales(self) -> Any: ...

class LineNetwork(LineEvaluator):
    """A network the core runs alone: a table per rule, then the trunk."""

    def __init__(self, tensors: dict[str, Any], blocks: str) -> None: ...
    def prepare(self, rule: int) -> None: ...

class LineInputs(LineEvaluator):
    """The tabulated line part of a network that runs outside the core."""

    def __init__(self, rule: int, black_table: Buffer, white_table: Buffer, scales: Buffer) -> None: ...
