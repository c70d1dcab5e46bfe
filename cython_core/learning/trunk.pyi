"""The trunk of a network over a batch of boards, with its gradients."""

from collections.abc import Sequence
from typing import Any

Floats = Any
Integers = Any

def packed_size(channels: int) -> int:
    """How many numbers the weights of one block take."""

class Batch:
    """A trunk and the boards that go through it at a time."""

    def __init__(self, n: int, height: int, width: int, channels: int, pools: Sequence[bool]) -> None:
        """pools: for each block, whether it is a pool."""
    def forward(
        self, rows: Integers, table: Floats, limit: float, bias: Floats, weights: Floats, policy: Floats,
        policy_bias: Floats, x: Floats, logits: Floats, means: Floats,
    ) -> None:  # fmt: skip
        """Fills x, logits and means."""
    def backward(
        self, rows: Integers, table: Floats, limit: float, weights: Floats, policy: Floats, x: Floats,
        grad_logits: Floats, grad_means: Floats, grad_table: Floats, grad_bias: Floats, grad_weights: Floats,
        grad_policy: Floats,
    ) -> None:  # fmt: skip
        """Adds to grad_table, which must have been zero, grad_bias, grad_weights and grad_policy."""
