"""Checkpoint -> ONNX: the whole network, the table over windows, the trunk; each checked against PyTorch."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from torch import Tensor, nn

from bench.notation import RULE_NAMES
from brain.onnx_evaluator import HALF, VARIANT_COUNT, VARIANTS, OnnxEvaluator, line_features, window_parts
from brain.weights import FORMAT, sha256
from cython_core import CARO, CARO_OVERLINE, FREESTYLE, STANDARD
from training.files import naming
from training.graph import full_graph, line_graph, planes_graph, read_weights, table_width, trunk_graph
from training.network import LineNetwork, LinePart, ResidualNetwork, Shape, build, planes_of

TABLE_LIMIT = 32760
"""Largest table entry; a little room for rounding below the end of int16."""
TOLERANCE = 1e-4
NEAREST = {CARO_OVERLINE: FREESTYLE, CARO: STANDARD}
"""Rule -> the one that a network plays it by which has not learned it."""


class ExportError(RuntimeError):
    """The exported graph does not agree with the network, or a file to be read back is none of ours."""


def table_scales(line: LinePart) -> np.ndarray:
    """float32 [channels]: the feature value of one table step, from the largest feature of any window and variant."""
    parts = [torch.from_numpy(window_parts(level)).long() for level in range(1, HALF + 1)]
    largest = torch.zeros(line.last.out_features)
    with torch.no_grad():
        for variant in range(VARIANT_COUNT):
            cells = line.cells(torch.tensor([variant]))
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
            network.borrow_variant(source=VARIANTS[nearest, 0], target=VARIANTS[rule, 0])
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
    card: Callable[[list[Path]], str] | None = None,
) -> list[Path]:  # fmt: skip
    """Writes target, -line and -trunk after checking them, and the card that `card` makes of them; returns the paths.

    A failure leaves what was there. facts: told in the files' metadata. Where a new target is, its parts are there too.
    """
    if target.suffix != ".onnx":
        raise ExportError(f"{target}: the name of a network ends with .onnx")
    network.eval()
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    if spoilt := [name for name, value in weights.items() if not np.isfinite(value).all()]:
        raise ExportError(f"{target}: not written, there are weights that are no numbers: {', '.join(spoilt)}")
    metadata = {
        "renga_format": FORMAT,
        "network": network_id(network),
        "channels": str(table_width(weights)),
        "parameters": str(sum(value.numel() for value in network.parameters())),
        "shape": json.dumps(network.shape.as_dict()),
        **facts,
    }
    blocks = network.shape.blocks.split(",")
    line = line_graph(weights, table_scales(network.line)) if isinstance(network, LineNetwork) else planes_graph()
    graphs = {"": full_graph(weights, blocks), "-line": line, "-trunk": trunk_graph(weights, blocks)}
    with naming(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        staged = [Path(folder) / f"{target.stem}{ending}.onnx" for ending in graphs]
        for path, model in zip(staged, graphs.values(), strict=True):
            onnx.helper.set_model_props(model, metadata)
            with naming(target.with_name(path.name)):
                onnx.save(model, str(path))
        verify(network, staged[0])
        if card is not None:
            text = card(staged)
            staged.append(Path(folder) / target.with_suffix(".md").name)
            with naming(target.with_suffix(".md")):
                staged[-1].write_text(text, encoding="utf-8")
        # An old card's checksums would call the new files damaged; a network without a card is taken as it is.
        target.with_suffix(".md").unlink(missing_ok=True)
        full, *others = staged
        for path in (*others[:2], full, *others[2:]):
            path.replace(target.with_name(path.name))
    return [target.with_name(path.name) for path in staged]


@torch.no_grad()
def verify(network: LineNetwork | ResidualNetwork, path: Path) -> None:
    """Compares each of the three files with the network on random boards; ExportError names the one that differs."""
    evaluator = OnnxEvaluator.load(0, path, provider="cpu")
    files = evaluator.files
    rng = np.random.default_rng(5)
    for variant, (rule, side) in {variant: key for key, variant in VARIANTS.items()}.items():
        evaluator.use_rule(rule)
        table = evaluator.white_table if side else evaluator.black_table
        rounding = 2 * evaluator.scales.max()  # four rows, each of them half a step off
        for height, width in ((5, 5), (9, 14), (15, 15), (20, 20), (32, 32)):
            boards = rng.choice([0, 1, 2], (2, height, width), p=[0.7, 0.15, 0.15]).astype(np.uint8)
            features = network.features(planes_of(torch.from_numpy(boards), torch.full((2,), variant)))
            policy, wdl = network.answers(features)
            answers = policy, F.softmax(wdl, 1)
            summed = line_features(boards, table, evaluator.scales)
            for file, difference in (
                (files.full, largest_difference(answers, evaluator.run_full(boards, variant))),
                (files.line, largest_difference([features], [summed]) - rounding),
                (files.trunk, largest_difference(answers, evaluator.run(features.numpy()))),
            ):
                if not difference <= TOLERANCE:  # differences of what is no number are none either
                    raise ExportError(f"{file.name}: differs from PyTorch by {difference:.2g}")


def largest_difference(ours: Sequence[Tensor], theirs: Sequence[np.ndarray]) -> float:
    return float(np.max([np.abs(mine.numpy() - other).max() for mine, other in zip(ours, theirs, strict=True)]))


def load_exported(path: Path) -> tuple[LineNetwork | ResidualNetwork, dict[str, str]]:
    """Rebuilds the network from an exported full graph, whose initializers carry the parameters' names."""
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


def checksum_lines(paths: list[Path]) -> str:
    return "\n".join(f"    sha256 {path.name} {sha256(path)}" for path in paths)
