"""Networks as ONNX graphs, written node by node. Owns operators and names; knows no files and no PyTorch.

Parameters keep their names from training/network.py as initializers, so that a graph can be read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from brain.onnx_evaluator import FEATURES
from cython_core.network.encoding import LINE_LIMIT, PLANES, STEPS, WINDOW_REACH
from training.blocks import KINDS, Weights

OPSET = 17
IR_VERSION = 8
"""Old enough for every onnxruntime we allow."""


class Graph:
    """Collects nodes and initializers; a value is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"{operator.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = np.asarray(value, order="C")
        return name

    def ints(self, *values: int) -> str:
        return self.constant("ints_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64))

    def conv(self, x: str, name: str, weights: Weights) -> str:
        """A convolution of the board's size, with a bias if it has one; depthwise if its filters have one input."""
        kernel = weights[f"{name}.weight"]
        group = kernel.shape[0] if kernel.shape[1] == 1 and kernel.shape[0] > 1 else 1
        parts = (f"{name}.{part}" for part in ("weight", "bias"))
        names = [self.constant(part, weights[part]) for part in parts if part in weights]
        return self.add("Conv", x, *names, group=group, pads=[kernel.shape[2] // 2, kernel.shape[3] // 2] * 2)

    def dense(self, x: str, name: str, weights: Weights) -> str:
        names = [self.constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.add("Gemm", x, *names, transB=1)

    def pooled(self, x: str) -> str:
        """[batch, 2 * channels]: mean and maximum over the board."""
        mean = self.add("GlobalAveragePool", x)
        largest = self.add("GlobalMaxPool", x)
        return self.add("Flatten", self.add("Concat", mean, largest, axis=1), axis=1)

    def model(self, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto]) -> onnx.ModelProto:
        initializers = [numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        graph = helper.make_graph(self.nodes, "renga", inputs, outputs, initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model, full_check=True)
        return model


def floats(name: str, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


ANSWERS = (floats("policy", "batch", "cells"), floats("value", "batch", 3))
"""Policy logits over y * width + x, and win/draw/loss shares."""


def network_graph(weights: Weights, blocks: Sequence[str], scales: np.ndarray | None) -> onnx.ModelProto:
    """planes [batch, PLANES, height, width] -> ANSWERS.

    A network with a line part has the value `features`, which the tables of the engine give, and one output more:
    `scales`, the feature value of one table step per channel.
    """
    graph = Graph()
    features, outputs = "planes", list(ANSWERS)
    if has_line(weights):
        assert scales is not None
        features = add_line(graph, "planes", weights)
        graph.add("Identity", graph.constant("line.scales", scales), output="scales")
        outputs.append(floats("scales", len(scales)))
    add_trunk(graph, features, weights, blocks)
    return graph.model([floats("planes", "batch", PLANES, "height", "width")], outputs)


def has_line(weights: Weights) -> bool:
    return "line.last.weight" in weights


def table_width(weights: Weights) -> int:
    """Features of a cell that come from the table: line features, or the planes themselves."""
    return len(weights["trunk.bias"]) if has_line(weights) else PLANES


def layer_name(level: int) -> str:
    """Name of the line part's layer that makes windows of half length `level`."""
    return "line.first" if level == 1 else f"line.layers.{level - 2}"


def add_line(graph: Graph, planes: str, weights: Weights) -> str:
    """The line part by convolution. What is outside the board is zero in every layer: plain padding.

    A layer's weights are stored once, as the kernel along a row, [outputs, inputs, 1, taps]; the other directions are
    made of it by nodes, which ONNX Runtime runs when it loads the file.
    """
    eye = np.eye(3, dtype=np.float32)
    diagonals = {(1, 1): graph.constant("falling", eye), (1, -1): graph.constant("rising", eye[::-1])}
    for level in range(1, WINDOW_REACH + 1):
        name = layer_name(level)
        graph.constant(f"{name}.bias", weights[f"{name}.bias"])
        taps = weights[f"{name}.weight"].reshape(len(weights[f"{name}.bias"]), 3, -1)
        graph.constant(f"{name}.weight", taps.transpose(0, 2, 1)[:, :, None])
    last = graph.constant("line.last.weight", weights["line.last.weight"][:, :, None, None])
    totals = []
    for dx, dy in STEPS:
        features = planes
        for level in range(1, WINDOW_REACH + 1):
            kernel, bias = f"{layer_name(level)}.weight", f"{layer_name(level)}.bias"
            if (dx, dy) == (0, 1):
                kernel = graph.add("Transpose", kernel, perm=[0, 1, 3, 2])
            elif (dx, dy) in diagonals:
                kernel = graph.add("Mul", kernel, diagonals[dx, dy])
            pads = [abs(dy), abs(dx)] * 2
            new = graph.add("Relu", graph.add("Conv", features, kernel, bias, pads=pads))
            features = new if level == 1 else graph.add("Add", features, new)
        totals.append(add_limit(graph, graph.add("Conv", features, last)))
    return graph.add("Sum", *totals, output=FEATURES)


def add_limit(graph: Graph, x: str) -> str:
    ends = (graph.constant(f"limit{sign}", np.array(sign * LINE_LIMIT, np.float32)) for sign in (-1, 1))
    return graph.add("Clip", x, *ends)


def add_trunk(graph: Graph, features: str, weights: Weights, blocks: Sequence[str]) -> None:
    """Blocks and heads on top of what the tables give."""
    if not has_line(weights):
        features = graph.conv(features, "entry", weights)
    bias = graph.constant("trunk.bias", weights["trunk.bias"][:, None, None])
    x = graph.add("Relu", graph.add("Add", features, bias))
    for number, kind in enumerate(blocks):
        x = KINDS[kind].write(graph, x, f"trunk.blocks.{number}", weights)
    policy = graph.conv(x, "trunk.policy", weights)
    graph.add("Flatten", policy, output="policy", axis=1)
    hidden = graph.add("Relu", graph.dense(graph.pooled(x), "trunk.value.0", weights))
    graph.add("Softmax", graph.dense(hidden, "trunk.value.2", weights), output="value", axis=1)


def read_weights(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """The parameters of a full graph, in the shapes PyTorch has them."""
    found = {}
    for entry in model.graph.initializer:
        value = numpy_helper.to_array(entry)
        if entry.name.startswith("ints_"):
            continue
        if entry.name.startswith("line.") and entry.name.endswith(".weight"):
            # [outputs, inputs, 1, taps] -> [outputs, taps * inputs]; the 1x1 layer has one tap
            value = value[:, :, 0].transpose(0, 2, 1).reshape(len(value), -1)
        if entry.name == "trunk.bias":
            value = value.reshape(-1)
        found[entry.name] = value
    return found
