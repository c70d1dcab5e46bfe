"""The model card of an exported network: where it comes from, what it was measured to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from bench.notation import RULE_NAMES
from brain.onnx_evaluator import OnnxEvaluator
from training.evaluate import evaluate_games
from training.export import NEAREST
from training.games import game_files
from training.learn import origin

CARD = """# {name}: a {kind} network for five in a row

One network for all rules and board sizes 5..32: {parameters} parameters.

| | |
|---|---|
{rows}

## Accuracy on held-out games

One game in twenty (by the sha256 of its move list) was kept away from training. Value cross-entropy is binary
against the result of the game, draw = 1/2; predicting 0.5 gives 0.693.

{accuracy}
"""


def card_text(file: Path, data: Path, provenance: Mapping[str, str], notes: str = "") -> str:
    """The card of an exported file; accuracy for every game file found under `data`/games.

    provenance: rows of the first table that the file does not know. notes: what was written by hand. The table rows
    they begin with follow the others and replace those of the same name; the rest ends the card.
    """
    evaluator = OnnxEvaluator.load(0, file, provider="cpu")
    rows = ["| held-out games | positions | top-1 | top-5 | policy | value |", "|---|---|---|---|---|---|"]
    for path in game_files(data):
        found = evaluate_games(evaluator, path, held_out=True)
        n = max(1, found.positions)
        rows.append(
            f"| {path.name.partition('.')[0]} | {found.positions} | {100 * found.top1 / n:.1f} % | "
            f"{100 * found.top5 / n:.1f} % | {found.policy / n:.3f} | {found.value / max(1, found.valued):.3f} |"
        )
    metadata = evaluator.metadata
    known = {
        "network": f"`{metadata['network']}`", "shape": words(metadata["shape"]),
        "git revision of the training code": metadata["revision"], **provenance, "recipe": words(metadata["recipe"]),
        "strength": "not measured",
    }  # fmt: skip
    lines = notes.splitlines()
    noted = list(takewhile(lambda line: line.startswith("|"), lines))
    remarks = "\n".join(lines[len(noted) :]).strip()
    text = CARD.format(
        name=file.stem, kind=json.loads(metadata["shape"])["kind"], parameters=parameters(evaluator),
        rows=table_rows(known, noted), accuracy="\n".join(rows),
    )  # fmt: skip
    return f"{text}\n{remarks}\n" if remarks else text


def provenance_of(checkpoint: Mapping[str, Any]) -> dict[str, str]:
    """Rows about data and start."""
    borrowed = [f"{RULE_NAMES[rule]} borrows from {RULE_NAMES[nearest]}" for rule, nearest in NEAREST.items()
                if rule not in checkpoint["rules"]]  # fmt: skip
    return {"data": "; ".join([", ".join(checkpoint["data"]["sources"]), *borrowed]),
            "start": origin(checkpoint["start"])}  # fmt: skip


def table_rows(known: Mapping[str, str], noted: list[str]) -> str:
    """The rows we know, except those that the notes have, then the rows of the notes."""
    names = {line.split("|")[1].strip() for line in noted}
    return "\n".join([*(f"| {name} | {value} |" for name, value in known.items() if name not in names), *noted])


def words(text: str) -> str:
    return ", ".join(f"{key} {value}" for key, value in json.loads(text).items())


def parameters(evaluator: OnnxEvaluator) -> str:
    return f"{int(evaluator.metadata['parameters']):,}"
