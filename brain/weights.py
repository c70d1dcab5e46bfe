"""Finds network files, in the source tree, a wheel or the executable: the only module that knows paths.

A network is one ONNX file: a graph from planes to policy and value that ONNX Runtime runs whole, whose tensors the core
reads by name, and whose metadata tells its shape, its making and its checksum. Beside it may lie a model card for
people, which no program reads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEFAULT_NAME = "renga.onnx"
FORMAT = "2"
"""Layout of the exported files: tells our networks from foreign ones, and from those of other versions."""
LARGEST_FILE = 64 << 20
"""Bytes; a hundred times the shipped network. A larger file cannot be one of ours and is not read."""


class WeightsError(Exception):
    """There is no usable network; the text is one sentence for the user and names the file."""


def weights_folder() -> Path:
    """Where the shipped networks are: never relative to the working directory, which belongs to the manager."""
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        return Path(bundle) / "weights"
    return Path(__file__).resolve().parent.parent / "weights"


def find(path: Path | None = None) -> Path:
    """The file of a network, or of the shipped one; WeightsError if it is not there or cannot be a network."""
    file = weights_folder() / DEFAULT_NAME if path is None else path
    if file.suffix != ".onnx":
        raise WeightsError(f"network {file} is not an .onnx file")
    with reading(file):
        if not file.is_file():
            raise WeightsError(f"network file {file} is missing")
        if (size := file.stat().st_size) > LARGEST_FILE:
            raise WeightsError(f"network file {file} has {size >> 20} MB, more than any network of ours")
    return file


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """A folder that may not be looked into or a file that cannot be read is a WeightsError that names the file."""
    try:
        yield
    except OSError as error:
        raise WeightsError(f"network file {path} cannot be read: {error.strerror}") from error


@contextmanager
def using(path: Path) -> Iterator[None]:
    """Whatever goes wrong with a network file in the block, memory included, is a WeightsError that names it."""
    try:
        yield
    except WeightsError:
        raise
    except Exception as error:  # onnxruntime raises a family of its own without a common base
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise WeightsError(f"network file {path} cannot be used: {reason}") from error
