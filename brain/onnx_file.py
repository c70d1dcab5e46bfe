"""Reads and checks the file of a network, without any library: what the core needs to run it itself.

ONNX is a protocol buffer: fields of (number, wire type, content). Only the fields named below are looked at, the time
grows with the size of the file and nothing is kept but the file and the tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.weights import FORMAT, WeightsError, find, reading

GRAPH, METADATA = 7, 14
"""Fields of a model; of metadata: key 1, value 2."""
INITIALIZER = 5
"""Field of a graph."""
DATA_TYPE, NAME, RAW_DATA = 2, 8, 9
"""Fields of a tensor."""
FLOAT = 1
VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
LONGEST_VARINT = 10
"""Bytes of a 64-bit number; a longer one is damage, and would take quadratic time."""
CHECKSUM = "sha256"
"""Key of the metadata."""
PIECE = 1 << 14
"""Floats that are summed at once."""
Floats = Any
"""memoryview of floats; before Python 3.14 a memoryview cannot be subscripted by its items' type."""


@dataclass(frozen=True)
class OnnxFile:
    path: Path
    content: bytes
    """All of it."""
    tensors: dict[str, Floats]
    """Float tensors by name, flat."""
    metadata: dict[str, str]


def load(path: Path | None = None) -> OnnxFile:
    """The network in a file, or the shipped one; WeightsError unless it is whole, ours and has no NaN in it."""
    file = read(find(path))
    if file.metadata.get("renga_format") != FORMAT:
        raise WeightsError(f"network file {file.path} is not a Renga network of format {FORMAT}")
    wanted = file.metadata.get(CHECKSUM)
    if wanted is not None and checksum(file.content, file.metadata) != wanted:
        raise WeightsError(f"network file {file.path} is damaged: its sha256 is not the one in its metadata")
    for name, tensor in file.tensors.items():
        if not finite(tensor):
            raise WeightsError(f"network file {file.path} has NaN or infinity in tensor {name}")
    return file


def finite(tensor: Floats) -> bool:
    """Are all of these numbers? In double precision no sum of floats that are overflows. In pieces, because nobody
    else gets the interpreter during a sum: one of 60 MB kept a move waiting for a tenth of a second, and on a busy
    machine for one."""
    return all(math.isfinite(sum(tensor[at : at + PIECE])) for at in range(0, len(tensor), PIECE))


def read(path: Path) -> OnnxFile:
    """WeightsError names a file that cannot be read as ONNX."""
    with reading(path):
        content = path.read_bytes()
    try:
        tensors: dict[str, Floats] = {}
        metadata: dict[str, str] = {}
        for number, value in fields(memoryview(content)):
            if number == METADATA:
                entry = dict(fields(as_bytes(value)))
                metadata[text(entry.get(1))] = text(entry.get(2))
            elif number == GRAPH:
                for part, tensor in fields(as_bytes(value)):
                    if part == INITIALIZER:
                        add_tensor(tensors, dict(fields(as_bytes(tensor))))
        return OnnxFile(path, content, tensors, metadata)
    except (ValueError, IndexError, TypeError) as error:
        raise WeightsError(f"network file {path} is not a whole ONNX file: {error}") from error


def checksum(content: bytes, metadata: Mapping[str, str]) -> str:
    """sha256 of a file's graph and of its metadata but for the checksum itself."""
    import hashlib  # loads OpenSSL: too slow for the program's start, when nothing is asked of a network yet

    digest = hashlib.sha256()
    for number, value in fields(memoryview(content)):
        if number == GRAPH:
            digest.update(as_bytes(value))
    for key in sorted(metadata.keys() - {CHECKSUM}):
        digest.update(f"{key}\0{metadata[key]}\0".encode())
    return digest.hexdigest()


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
    value = 0
    for shift in range(0, 7 * LONGEST_VARINT, 7):
        byte = content[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
    raise ValueError(f"a number of more than {LONGEST_VARINT} bytes before byte {at}")


def as_bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where a message was expected")
    return value


def text(value: int | memoryview | None) -> str:
    return str(as_bytes(value if value is not None else memoryview(b"")), "utf-8")
