"""Features of windows from those of their three parts, and their gradients."""

from typing import Any

Floats = Any
Integers = Any

def forward(parts: Integers, products: Floats, below: Floats | None, bias: Floats, out: Floats) -> None:
    """Fills `out`: the positive part of products and bias, and what `below` hands on."""

def backward(
    parts: Integers, below: Floats | None, out: Floats, grad: Floats, grad_products: Floats, grad_below: Floats | None,
    grad_bias: Floats,
) -> None:  # fmt: skip
    """Fills grad_products and grad_below, and adds to grad_bias."""
