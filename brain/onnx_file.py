"""Reads the tensors and the metadata of an ONNX file, without any library: what the core needs to run a network itself.

ONNX is a protocol buffer: fields of (number, wire type, content). Only the fields named below are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.weights import WeightsError

GRAPH, METADATA = 7, 14
"""Fields of a model; of metadata: key 1, value 2."""
INITIALIZER = 5
"""Field of a graph."""
DATA_TYPE, NAME, RAW_DATA = 2, 8, 9
"""Fields of a tensor."""
FLOAT = 1
VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
Floats = Any
"""memoryview of floats; before Python 3.14 a memoryview cannot be subscripted by its items' type."""


@dataclass(frozen=True)
class OnnxFile:
    tensors: dict[str, Floats]
    """Float tensors by name, flat."""
    metadata: dict[str, str]


def read(path: Path) -> OnnxFile:
    """WeightsError names a file that cannot be read as ONNX."""
    try:
        content = memoryview(path.read_bytes())
        tensors: dict[str, Floats] = {}
        metadata: dict[str, str] = {}
        for number, value in fields(content):
            if number == METADATA:
                entry = dict(fields(as_bytes(value)))
                metadata[text(entry.get(1))] = text(entry.get(2))
            elif number == GRAPH:
                for part, tensor in fields(as_bytes(value)):
                    if part == INITIALIZER:
                        add_tensor(tensors, dict(fields(as_bytes(tensor))))
        return OnnxFile(tensors, metadata)
    except OSError as error:
        raise WeightsError(f"network file {path} cannot be read: {error.strerror}") from error
    except (ValueError, IndexError, TypeError) as error:
        raise WeightsError(f"network file {path} is not a whole ONNX file: {error}") from error


def add_tensor(tensors: dict[str, Floats], entry: dict[int, int | memoryview]) -> None:
    if entry.get(DATA_TYPE) == FLOAT and RAW_DATA in entry:
        tensors[text(entry.get(NAME))] = memoryview(bytes(as_bytes(entry[RAW_DATA]))).cast("f")


def fields(content: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """(number, content) of every field; of a repeated one, each."""
    at = 0
    while at < len(content):
        key, at = varint(content, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = varint(content, at)
            yield number, value
            continue
        if wire == BYTES:
            length, at = varint(content, at)
        elif wire in (EIGHT_BYTES, FOUR_BYTES):
            length = 8 if wire == EIGHT_BYTES else 4
        else:
            raise ValueError(f"wire type {wire} at byte {at}")
        if at + length > len(content):
            raise ValueError("it is cut short")
        yield number, content[at : at + length]
        at += length


def varint(content: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, lowest first, and where the next field begins."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def as_bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where a message was expected")
    return value


def text(value: int | memoryview | None) -> str:
    return str(as_bytes(value if value is not None else memoryview(b"")), "utf-8")
