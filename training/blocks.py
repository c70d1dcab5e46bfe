"""The kinds of trunk blocks: the one registry of what a network may be made of. Needs neither PyTorch nor onnx.

A new kind is a line in KINDS and its module in training/network.py. ONNX Runtime then plays with it; for the core to
run it, cython_core/network/trunk.pyx needs a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from training.graph import Graph

Weights = Mapping[str, Any]
"""Name -> array, as training/network.py names its parameters."""


class Kind(NamedTuple):
    meaning: str
    write: Callable[[Graph, str, str, Weights], str]
    """Adds the nodes of a block with this name to a graph, on top of a value; returns the new value."""


def write_residual(graph: Graph, x: str, name: str, weights: Weights) -> str:
    inner = graph.add("Relu", graph.conv(x, f"{name}.first", weights))
    return graph.add("Relu", graph.add("Add", x, graph.conv(inner, f"{name}.second", weights)))


def write_convolution(graph: Graph, x: str, name: str, weights: Weights) -> str:
    return graph.add("Relu", graph.add("Add", x, graph.conv(x, f"{name}.conv", weights)))


def write_separable(graph: Graph, x: str, name: str, weights: Weights) -> str:
    inner = graph.add("Relu", graph.conv(x, f"{name}.depth", weights))
    return graph.add("Add", x, graph.add("Relu", graph.conv(inner, f"{name}.point", weights)))


def write_pool(graph: Graph, x: str, name: str, weights: Weights) -> str:
    spread = graph.dense(graph.pooled(x), f"{name}.dense", weights)
    return graph.add("Add", x, graph.add("Unsqueeze", spread, graph.ints(2, 3)))


KINDS = {
    "res": Kind("residual, two 3x3 convolutions", write_residual),
    "conv": Kind("one 3x3 convolution", write_convolution),
    "sep": Kind("separable, a 3x3 convolution per channel and one over channels", write_separable),
    "pool": Kind("mean and maximum over the board, told to every cell", write_pool),
}
