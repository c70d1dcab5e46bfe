"""Cuts an ONNX graph: the part that leads from one of its values to the answers, as a model of its own.

On a CPU the first layers of a network come from tables; what is left of the same file is what ONNX Runtime has to run.
"""

from __future__ import annotations

from brain.onnx_file import FLOAT, GRAPH, INITIALIZER, NAME, as_bytes, fields, text

NODE, GRAPH_NAME, INPUT, OUTPUT = 1, 2, 11, 12
"""Fields of a graph; of a node: inputs 1, outputs 2; of an input or output: name 1, type 2."""
ANSWERS = ("policy", "value")


def part_after(content: bytes, value: str, channels: int) -> bytes:
    """The model whose input is `value` [batch, channels, height, width] and whose outputs are the ANSWERS."""
    model = []
    for number, field in fields(memoryview(content)):
        if number != GRAPH:
            model.append(encoded(number, field))
            continue
        model.append(encoded(GRAPH, cut_graph(as_bytes(field), value, channels)))
    return b"".join(model)


def cut_graph(graph: memoryview, value: str, channels: int) -> bytes:
    entries = [(number, as_bytes(field)) for number, field in fields(graph) if not isinstance(field, int)]
    needed = set(ANSWERS)
    kept = [encoded(INPUT, tensor_info(value, channels))]
    nodes = []
    for number, node in reversed(entries):  # a node comes after those that make its inputs
        if number == NODE and needed & set(named(node, 2)) - {value}:
            needed |= set(named(node, 1))
            nodes.append(encoded(NODE, node))
    kept += reversed(nodes)
    for number, entry in entries:
        wanted = {INITIALIZER: NAME, OUTPUT: 1}.get(number)
        if number == GRAPH_NAME or (wanted and needed & set(named(entry, wanted))):
            kept.append(encoded(number, entry))
    return b"".join(kept)


def named(message: memoryview, field: int) -> list[str]:
    """The strings of a field."""
    return [text(value) for number, value in fields(message) if number == field]


def tensor_info(name: str, channels: int) -> bytes:
    """ValueInfoProto of a float tensor [batch, channels, height, width]."""
    sizes = (encoded(2, b"batch"), encoded(1, channels), encoded(2, b"height"), encoded(2, b"width"))
    shape = b"".join(encoded(1, size) for size in sizes)
    tensor = encoded(1, FLOAT) + encoded(2, shape)
    return encoded(1, name.encode()) + encoded(2, encoded(1, tensor))


def encoded(number: int, content: int | bytes | memoryview) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(content, int):
        return as_varint(number << 3) + as_varint(content)
    return as_varint(number << 3 | 2) + as_varint(len(content)) + content


def as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
