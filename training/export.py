"""Checkpoint -> one ONNX file, checked against PyTorch in every form in which it may play."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from torch import Tensor, nn

from bench.notation import RULE_NAMES
from brain.core_evaluator import CoreEvaluator
from brain.evaluator import Answer
from brain.onnx_evaluator import OnnxEvaluator
from brain.onnx_file import CHECKSUM, checksum
from brain.parity import ANSWERS, CORE_PARITY, PARITY, distance, sample_boards
from brain.weights import FORMAT
from cython_core import CARO, CARO_OVERLINE, FREESTYLE, RULES, STANDARD, Board, xy
from cython_core.network.encoding import VARIANTS, WINDOW_REACH, variant
from cython_core.network.trunk import runs
from training.files import naming
from training.graph import network_graph, read_weights, table_width
from training.network import LineNetwork, LinePart, ResidualNetwork, Shape, build, planes_of
from training.windows import VARIANT_OF, window_parts

TABLE_LIMIT = 32760
"""Largest table entry; a little room for rounding below the end of int16."""
NEAREST = {CARO_OVERLINE: FREESTYLE, CARO: STANDARD}
"""Rule -> the one that a network plays it by which has not learned it."""


class ExportError(RuntimeError):
    """The exported graph does not agree with the network, or a file to be read back is not ours."""


def table_scales(line: LinePart) -> np.ndarray:
    """float32 [channels]: the feature value of one table step, from the largest feature of any window and variant."""
    parts = [torch.from_numpy(window_parts(level)).long() for level in range(1, WINDOW_REACH + 1)]
    largest = torch.zeros(line.last.out_features)
    with torch.no_grad():
        for number in range(VARIANTS):
            cells = line.cells(torch.tensor([number]))
            largest = torch.maximum(largest, line.windows(cells, parts).abs().amax(0))
    return (largest.clamp(min=1e-6) / TABLE_LIMIT).numpy()


def network_id(network: nn.Module) -> str:
    """Names the weights, so that files of different networks are not mixed."""
    digest = hashlib.sha256()
    for name, value in sorted(network.state_dict().items()):
        digest.update(name.encode() + value.contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def network_of(state: Mapping[str, Any], last: bool = False) -> LineNetwork | ResidualNetwork:
    """The averaged network of a checkpoint, or its `last` one; rules never learned are played by the NEAREST."""
    network = build(Shape(**state["shape"]))
    network.load_state_dict(state["network" if last else "average"])
    for rule, nearest in NEAREST.items():
        if rule not in state["rules"]:
            network.borrow_variant(source=VARIANT_OF[nearest, 0], target=VARIANT_OF[rule, 0])
    return network


def facts_of(state: Mapping[str, Any], **more: object) -> dict[str, str]:
    """What an export of a checkpoint tells of its making; `more` goes with the recipe."""
    done = {"steps_done": state["step"], "minutes_done": round(state["seconds"] / 60, 1)}
    return {
        "recipe": json.dumps({**state["recipe"], **done, **more}),
        "rules": " ".join(RULE_NAMES[rule] for rule in state["rules"]),
        "revision": state["revision"],
    }


def learned_rules(metadata: Mapping[str, str]) -> list[int]:
    """The rules that an exported network has learned, by its metadata."""
    known = metadata.get("rules", "").split()
    return [rule for rule, name in RULE_NAMES.items() if name in known]


def export(
    network: LineNetwork | ResidualNetwork, target: Path, facts: Mapping[str, str],
    card: Callable[[Path], str] | None = None,
) -> Path:  # fmt: skip
    """Writes the network to `target` after checking it in every form it may play in, and the card that `card` makes of
    it; a failure leaves what was there. facts: told in the file's metadata."""
    if target.suffix != ".onnx":
        raise ExportError(f"{target}: the name of a network ends with .onnx")
    network.eval()
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    if spoilt := [name for name, value in weights.items() if not np.isfinite(value).all()]:
        raise ExportError(f"{target}: not written, there are weights that are NaN or infinite: {', '.join(spoilt)}")
    metadata = {
        "renga_format": FORMAT,
        "network": network_id(network),
        "channels": str(table_width(weights)),
        "parameters": str(sum(value.numel() for value in network.parameters())),
        "shape": json.dumps(network.shape.as_dict()),
        **facts,
    }
    scales = table_scales(network.line) if isinstance(network, LineNetwork) else None
    model = network_graph(weights, network.shape.blocks.split(","), scales)
    with naming(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        staged = Path(folder) / target.name
        with naming(target):
            write_model(staged, model, metadata)
            write_model(staged, model, {**metadata, ANSWERS: graph_answers(staged)})
        verify(network, staged)
        card_file = staged.with_suffix(".md")
        if card is not None:
            text = card(staged)
            with naming(target.with_suffix(".md")):
                card_file.write_text(text, encoding="utf-8")
        staged.replace(target)
        target.with_suffix(".md").unlink(missing_ok=True)  # an old card tells of another network
        if card is not None:
            card_file.replace(target.with_suffix(".md"))
    return target


def write_model(path: Path, model: onnx.ModelProto, metadata: Mapping[str, str]) -> None:
    """The file, with a checksum of graph and metadata among the latter."""
    onnx.helper.set_model_props(model, dict(metadata))
    digest = checksum(model.SerializeToString(), metadata)
    onnx.helper.set_model_props(model, {**metadata, CHECKSUM: digest})
    onnx.save(model, str(path))


def graph_answers(path: Path) -> str:
    """What the whole graph says of the sample positions, as the metadata stores it."""
    graph = OnnxEvaluator.load(RULES[0], path, provider="cpu")
    found = {
        rule: [[round(share, 6) for share in graph.evaluate_whole(board)[1]] for board in sample_boards(rule)]
        for rule in RULES
    }
    return json.dumps(found)


@torch.no_grad()
def verify(network: LineNetwork | ResidualNetwork, path: Path) -> None:
    """Compares every form in which a file may play with the network itself, on sample positions of all rules: the whole
    graph, the graph on tables, and the core where it runs such networks. ExportError names the form that differs."""
    shape = network.shape
    evaluator = OnnxEvaluator.load(RULES[0], path, provider="cpu")
    forms: dict[str, Callable[[Board], Answer]] = {
        "the whole graph": evaluator.evaluate_whole, "the graph on tables": evaluator.evaluate,
    }  # fmt: skip
    core = None
    if shape.kind == "line" and runs(shape.blocks, shape.channels, shape.head):
        core = CoreEvaluator.load(RULES[0], path)
        forms["the core"] = core.evaluate
    for rule in RULES:
        evaluator.use_rule(rule)
        if core is not None:
            core.use_rule(rule)
        for board in sample_boards(rule):
            policy, wdl = network(planes_of(*as_tensors(board)))
            win, draw, loss = F.softmax(wdl[0], 0).tolist()
            for name, form in forms.items():
                apart = distance((policy[0].tolist(), (win, draw, loss)), form(board))
                if not apart <= (CORE_PARITY if name == "the core" else PARITY):
                    size = f"{board.width}x{board.height}"
                    raise ExportError(f"{path.name}: {name} differs from PyTorch by {apart:.2g}, rule {rule}, {size}")


def as_tensors(board: Board) -> tuple[Tensor, Tensor]:
    """A position as `planes_of` takes it: one board, and its variant."""
    cells = torch.zeros(1, board.height, board.width, dtype=torch.uint8)
    for cell, colour in board.history:
        x, y = xy(cell)
        cells[0, y, x] = 1 if colour == board.side else 2
    return cells, torch.tensor([variant(board.rule, board.side)])


def load_exported(path: Path) -> tuple[LineNetwork | ResidualNetwork, dict[str, str]]:
    """Rebuilds the network from an exported file, whose initializers carry the parameters' names."""
    try:
        model = onnx.load(str(path))
    except DecodeError as error:
        raise ExportError(f"{path}: damaged file: {error}") from error
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    if metadata.get("renga_format") != FORMAT:
        raise ExportError(f"{path}: not a Renga network of format {FORMAT}")
    try:
        network = build(Shape(**json.loads(metadata["shape"])))
    except (KeyError, TypeError, ValueError) as error:
        raise ExportError(f"{path}: its shape is not one of ours: {metadata.get('shape')}") from error
    try:
        weights = read_weights(model)
    except (IndexError, TypeError, ValueError) as error:
        raise ExportError(f"{path}: damaged file: {error}") from error
    state = network.state_dict()
    wrong = [name for name in state if name not in weights or weights[name].shape != tuple(state[name].shape)]
    if wrong:
        raise ExportError(f"{path}: weights missing or of the wrong shape: {', '.join(wrong)}")
    network.load_state_dict({name: torch.from_numpy(weights[name].copy()) for name in state})
    return network, metadata
