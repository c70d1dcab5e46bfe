"""Small random networks as ONNX files, for tests that need one but not its strength. No torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx

from brain.evaluator import FORMAT, PLANES
from training.graph import full_graph, line_graph, trunk_graph

BLOCKS = ("sep", "pool", "conv", "res")


def random_weights(channels: int = 8, hidden: int = 12, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:], dtype=float) or 1)).astype(np.float32)

    weights = {"line.first.weight": normal(hidden, 3 * PLANES), "line.first.bias": normal(hidden),
               "line.last.weight": normal(channels, hidden), "trunk.bias": normal(channels)}  # fmt: skip
    for layer in range(4):
        weights[f"line.layers.{layer}.weight"] = normal(hidden, 3 * hidden)
        weights[f"line.layers.{layer}.bias"] = normal(hidden)
    kernels = {
        "blocks.0.depth": (channels, 1, 3, 3), "blocks.0.point": (channels, channels, 1, 1),
        "blocks.1.dense": (channels, 2 * channels), "blocks.2.conv": (channels, channels, 3, 3),
        "blocks.3.first": (channels, channels, 3, 3), "blocks.3.second": (channels, channels, 3, 3),
        "policy": (1, channels, 1, 1), "value.0": (16, 2 * channels), "value.2": (3, 16),
    }  # fmt: skip
    for name, shape in kernels.items():
        weights[f"trunk.{name}.weight"] = normal(*shape)
        weights[f"trunk.{name}.bias"] = normal(shape[0])
    return weights


def write_network(path: Path, seed: int = 1, format_: str = FORMAT) -> Path:
    """Writes `path` and its -line and -trunk beside it."""
    weights = random_weights(seed=seed)
    channels = len(weights["trunk.bias"])
    shape = {"kind": "line", "hidden": 12, "channels": channels, "blocks": ",".join(BLOCKS), "head": 16}
    graphs = {"": full_graph(weights, BLOCKS), "-trunk": trunk_graph(weights, BLOCKS),
              "-line": line_graph(weights, np.full(channels, 2e-4, np.float32))}  # fmt: skip
    for ending, model in graphs.items():
        properties = {"renga_format": format_, "network": str(seed), "channels": str(channels)}
        properties["shape"] = json.dumps(shape)
        onnx.helper.set_model_props(model, properties)
        onnx.save(model, str(path.with_name(f"{path.stem}{ending}.onnx")))
    return path
