"""Small random networks as ONNX files, for tests that need one but not its strength. No torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from brain.onnx_file import CHECKSUM, checksum
from brain.weights import FORMAT
from cython_core.network.encoding import PLANES
from training.graph import network_graph

BLOCKS = ("sep", "pool", "conv", "res")
CORE_BLOCKS = ("sep", "pool", "sep")
"""What the core runs itself, with channels in sixteens."""


def random_weights(
    channels: int = 8, hidden: int = 12, seed: int = 1, blocks: tuple[str, ...] = BLOCKS
) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:], dtype=float) or 1)).astype(np.float32)

    weights = {"line.first.weight": normal(hidden, 3 * PLANES), "line.first.bias": normal(hidden),
               "line.last.weight": normal(channels, hidden), "trunk.bias": normal(channels)}  # fmt: skip
    for layer in range(4):
        weights[f"line.layers.{layer}.weight"] = normal(hidden, 3 * hidden)
        weights[f"line.layers.{layer}.bias"] = normal(hidden)
    square = (channels, channels, 3, 3)
    layers = {
        "sep": {"depth": (channels, 1, 3, 3), "point": (channels, channels, 1, 1)},
        "pool": {"dense": (channels, 2 * channels)}, "conv": {"conv": square},
        "res": {"first": square, "second": square},
    }  # fmt: skip
    kernels = {f"blocks.{number}.{layer}": shape for number, block in enumerate(blocks)
               for layer, shape in layers[block].items()}  # fmt: skip
    kernels |= {"policy": (1, channels, 1, 1), "value.0": (16, 2 * channels), "value.2": (3, 16)}
    for name, shape in kernels.items():
        weights[f"trunk.{name}.weight"] = normal(*shape)
        weights[f"trunk.{name}.bias"] = normal(shape[0])
    return weights


def write_network(
    path: Path, seed: int = 1, format_: str = FORMAT, channels: int = 8, hidden: int = 12,
    blocks: tuple[str, ...] = BLOCKS, step: float = 2e-4,
) -> Path:
    """`step`: of the line table; wide networks need larger ones."""
    weights = random_weights(channels, hidden, seed, blocks)
    shape = {"kind": "line", "hidden": hidden, "channels": channels, "blocks": ",".join(blocks), "head": 16}
    model = network_graph(weights, blocks, np.full(channels, step, np.float32))
    save(path, model, {"renga_format": format_, "network": str(seed), "shape": json.dumps(shape)})
    return path


def save(path: Path, model: onnx.ModelProto, metadata: dict[str, str]) -> None:
    """Writes a model with metadata and checksum."""
    digest = checksum(model.SerializeToString(), metadata)
    onnx.helper.set_model_props(model, {**metadata, CHECKSUM: digest})
    onnx.save(model, str(path))


def change(path: Path, name: str, value: float) -> None:
    """Fills a tensor of a network with one number, as a whole file."""
    model = onnx.load(str(path))
    tensor = next(entry for entry in model.graph.initializer if entry.name == name)
    shape = numpy_helper.to_array(tensor).shape
    tensor.CopyFrom(numpy_helper.from_array(np.full(shape, value, np.float32), name))
    metadata = {entry.key: entry.value for entry in model.metadata_props if entry.key != CHECKSUM}
    save(path, model, metadata)
