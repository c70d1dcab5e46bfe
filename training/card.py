"""Writes the model card of an exported network: where it comes from, its files, what it was measured to do."""

from __future__ import annotations

import json
from pathlib import Path

from brain.evaluator import Evaluator
from brain.selftest import whole_graph_answers
from training.evaluate import evaluate_games
from training.export import checksum_lines
from training.files import naming

CARD = """# {name}: a {kind} network for five in a row

One network for all rules and board sizes 5..32: {parameters} parameters.

| | |
|---|---|
| network | `{network}` |
| shape | {shape} |
| git revision of the training code | {revision} |
| data | {data} |
| recipe | {recipe} |

## Files

{checksums}

## Answers

Win, draw and loss of the side to move that the whole graph gives the positions of `--selftest`, which compares.

{answers}

## Accuracy on held-out games

One game in twenty (by the sha256 of its move list) was kept away from training. Value cross-entropy is binary
against the result of the game, draw = 1/2; predicting 0.5 gives 0.693.

{accuracy}

## Choice of width and depth

{choice}
"""
SOURCES = "teacher self-play (freestyle, standard, renju), tournament games of engines, human renju"
CARO = {True: "caro from self-play", False: "no caro games: it borrows from freestyle and standard"}
CHOICE = """Measured one after the other on the same busy core (batch 16): two residual blocks of 32 channels 4.7 k
evaluations a second, 48 channels with four separable blocks and a pool 8.8 k, 64 channels 6.0 k. In training runs of
equal processor time separable and plain 3x3 blocks reached the same accuracy, so the faster form was taken: at equal
time it searches more. The line part is a table in play, so its inner width costs nothing there: 96 features instead of
48, grown from the trained network, gave +33 Elo [12, 55] (202 : 164, 34 drawn, 300 simulations, five rules in turn)."""


def write_card(paths: list[Path], data: Path, own_caro: bool) -> Path:
    """The card beside the full graph; accuracy for every game file found under `data`/games."""
    full = paths[0]
    card = full.with_suffix(".md")
    evaluator = Evaluator.load(0, full, provider="cpu")
    rows = ["| held-out games | positions | top-1 | top-5 | policy | value |", "|---|---|---|---|---|---|"]
    for path in sorted((data / "games").glob("*.txt.gz")):
        found = evaluate_games(evaluator, path, held_out=True)
        n = max(1, found.positions)
        rows.append(
            f"| {path.name.partition('.')[0]} | {found.positions} | {100 * found.top1 / n:.1f} % | "
            f"{100 * found.top5 / n:.1f} % | {found.policy / n:.3f} | {found.value / max(1, found.valued):.3f} |"
        )
    text = CARD.format(
        name=full.stem, kind=json.loads(evaluator.metadata["shape"])["kind"], parameters=parameters(evaluator),
        network=evaluator.metadata["network"], shape=words(evaluator.metadata["shape"]),
        revision=evaluator.metadata["revision"], data=f"{SOURCES}; {CARO[own_caro]}",
        recipe=words(evaluator.metadata["recipe"]), checksums=checksum_lines(paths), answers=answer_lines(full),
        accuracy="\n".join(rows), choice=CHOICE,
    )  # fmt: skip
    with naming(card):
        card.write_text(text)
    return card


def answer_lines(full: Path) -> str:
    answers, _ = whole_graph_answers(full)
    return "\n".join("    answer " + " ".join(f"{share:.6f}" for share in answer) for answer in answers)


def words(text: str) -> str:
    return ", ".join(f"{key} {value}" for key, value in json.loads(text).items())


def parameters(evaluator: Evaluator) -> str:
    return f"{int(evaluator.metadata['parameters']):,}"
