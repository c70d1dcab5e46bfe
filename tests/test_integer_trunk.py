"""The core runs the network in 16-bit integers: as good as the float graph, the same on every processor, never out of
its range."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from networks import CORE_BLOCKS, change, write_network

import cython_core as core
from bench.notation import read_cells, read_rule
from bench.positions import read_positions
from brain import onnx_file
from brain.core_evaluator import CoreEvaluator
from brain.onnx_evaluator import OnnxEvaluator
from brain.parity import CORE_PARITY, distance, sample_boards, shares
from cython_core.network.encoding import LINE_LIMIT
from cython_core.network.trunk import Trunk

ROOT = Path(__file__).parent.parent
GAMES = ROOT / os.environ.get("RENGA_DATA", "data") / "games"
BLOCKS = ("sep", "sep", "pool", "sep", "sep")
LEAD = 0.1
"""Of the best move before the second, in shares of one, from which on both forms must agree on it."""
AGREEMENT = 0.99
VALUE_ERROR = 0.02


def network_of(path: Path, channels: int, blocks: tuple[str, ...] = BLOCKS) -> Path:
    return write_network(path, channels=channels, hidden=16, blocks=blocks, step=LINE_LIMIT / 32760)


def replayed(cells: Iterable[tuple[int, int]], width: int, height: int, rule: int) -> core.Board:
    """The position before anybody has won."""
    board = core.Board(width, height, rule)
    for x, y in cells:
        if board.winner == core.EMPTY and board.legal(core.cell(x, y)):
            board.play(core.cell(x, y))
    if board.winner != core.EMPTY:
        board.undo()
    return board


def own_positions() -> list[core.Board]:
    """Beginnings of the games of the bench, of all rules and sizes."""
    return [
        replayed([core.xy(cell) for cell, _ in whole.history[:plies]], whole.width, whole.height, whole.rule)
        for whole in read_positions()
        for plies in range(2 + whole.ply % 3, whole.ply, 4)
    ]


def recorded_positions(per_file: int) -> list[core.Board]:
    """One position of each of some recorded games of every file; a share of the caro games by its exact rule."""
    boards = []
    for path in sorted(GAMES.glob("*.txt.gz")):
        chance = random.Random(path.name)
        with gzip.open(path, "rt") as file:
            lines = file.read().splitlines()
        for line in chance.sample(lines, min(per_file, len(lines))):
            rule_name, size, _, moves = line.partition("#")[0].split(maxsplit=3)
            rule = read_rule(rule_name)
            if rule == core.CARO_OVERLINE and chance.random() < 0.5:
                rule = core.CARO
            cells = read_cells(moves, int(size))
            boards.append(replayed(cells[: chance.randrange(2, max(3, len(cells)))], int(size), int(size), rule))
    return boards


def compare(boards: list[core.Board], path: Path | None = None) -> tuple[int, float, float]:
    """(positions with a leading move, how often the core says the same, mean difference of the values)."""
    ours, graph = CoreEvaluator.load(core.FREESTYLE, path), OnnxEvaluator.load(core.FREESTYLE, path, provider="cpu")
    leads, same, gaps = 0, 0, []
    for board in sorted(boards, key=lambda board: board.rule):
        ours.use_rule(board.rule)
        graph.use_rule(board.rule)
        (logits, wdl), (whole_logits, whole_wdl) = ours.evaluate(board), graph.evaluate(board)
        gaps.append(abs(wdl[0] + wdl[1] / 2 - whole_wdl[0] - whole_wdl[1] / 2))
        policy = shares(whole_logits)
        best, second = sorted(policy)[:-3:-1]
        if best - second >= LEAD:
            leads += 1
            same += int(np.argmax(logits)) == int(np.argmax(policy))
    return leads, same / max(1, leads), float(np.mean(gaps))


def test_integers_evaluate_as_the_float_graph_does() -> None:
    boards = own_positions()
    assert len(boards) > 150
    assert {board.rule for board in boards} > {core.FREESTYLE, core.RENJU}
    leads, agreement, error = compare(boards)
    assert leads > 50
    assert agreement >= AGREEMENT
    assert error <= VALUE_ERROR / 4


@pytest.mark.full
@pytest.mark.skipif(not GAMES.is_dir(), reason="game files (RENGA_DATA) are not here")
def test_integers_evaluate_recorded_positions_as_the_float_graph_does() -> None:
    leads, agreement, error = compare(recorded_positions(per_file=200))
    assert leads > 500
    assert agreement >= AGREEMENT
    assert error <= VALUE_ERROR


@pytest.mark.parametrize("channels", [16, 48, 80, 256])
def test_every_width_the_core_runs_says_what_the_graph_says(tmp_path: Path, channels: int) -> None:
    path = network_of(tmp_path / "wide.onnx", channels, CORE_BLOCKS)
    ours, graph = CoreEvaluator.load(core.STANDARD, path), OnnxEvaluator.load(core.STANDARD, path, provider="cpu")
    for board in sample_boards(core.STANDARD):
        assert distance(ours.evaluate(board), graph.evaluate_whole(board)) < CORE_PARITY


EVERYTHING = """
import sys
from pathlib import Path
import cython_core as core
from brain.core_evaluator import CoreEvaluator
from brain.parity import sample_boards
for path in (None, *map(Path, sys.argv[1:])):
    evaluator = CoreEvaluator.load(core.RENJU, path)
    for board in sample_boards(core.RENJU):
        logits, wdl = evaluator.evaluate(board)
        print(*(number.hex() for number in (*logits, *wdl)))
    board = core.Board(32, 7, core.RENJU)
    board.play(core.cell(31, 6))
    print(*(number.hex() for number in evaluator.evaluate(board)[0]))
"""


def test_processors_without_wide_registers_say_the_same_to_the_last_bit(tmp_path: Path) -> None:
    """Also where features leave the range of 16 bits and are cut there, and where channels fill no register."""
    others = [network_of(tmp_path / f"channels{channels}.onnx", channels) for channels in (16, 32, 64, 80)]
    overflowing = network_of(tmp_path / "overflowing.onnx", 48)
    for name in ("trunk.bias", "trunk.blocks.0.depth.bias", "trunk.blocks.1.point.bias", "trunk.blocks.2.dense.bias"):
        change(overflowing, name, 120.0)
    change(overflowing, "trunk.blocks.3.depth.weight", -3.0)
    change(overflowing, "trunk.blocks.4.depth.weight", 3.0)
    found = [
        subprocess.run([sys.executable, "-c", EVERYTHING, str(overflowing), *map(str, others)], cwd=ROOT,
                       env={**os.environ, **extra}, check=True, capture_output=True, text=True).stdout
        for extra in ({}, {"RENGA_NARROW": "256"}, {"RENGA_NARROW": "1"})
    ]  # fmt: skip
    assert found[0].count("\n") == 6 * (len(sample_boards(core.RENJU)) + 1)
    assert "nan" not in found[0]
    assert "inf" not in found[0]
    assert found[0] == found[1] == found[2]


def test_features_beyond_the_range_are_cut_and_do_not_wrap_round(tmp_path: Path) -> None:
    """A feature of 120 that grows by 40 stays the largest there is; wrapped round it would be negative."""
    path = network_of(tmp_path / "large.onnx", 16)
    for name, number in {
        "trunk.bias": 120.0,
        "trunk.blocks.0.point.bias": 40.0,
        "trunk.blocks.0.point.weight": 0.0,
        "trunk.blocks.1.point.bias": 40.0,
        "trunk.blocks.1.point.weight": 0.0,
        "trunk.blocks.2.dense.weight": 0.0,
        "trunk.blocks.2.dense.bias": 0.0,
        "line.last.weight": 0.0,
        "trunk.policy.weight": 1.0,
        "trunk.policy.bias": 0.0,
    }.items():
        change(path, name, number)
    for block in (3, 4):
        change(path, f"trunk.blocks.{block}.point.weight", 0.0)
        change(path, f"trunk.blocks.{block}.point.bias", 0.0)
    logits, _ = CoreEvaluator.load(core.FREESTYLE, path).evaluate(core.Board(15, 15, core.FREESTYLE))
    assert logits == pytest.approx([16 * 32767 / 256] * 225, rel=1e-3)


def test_weights_too_large_for_integers_are_refused(tmp_path: Path) -> None:
    path = network_of(tmp_path / "huge.onnx", 16)
    change(path, "trunk.blocks.1.point.weight", 1e6)
    with pytest.raises(ValueError, match=r"blocks\.1\.point\.weight has numbers that are too large for the core"):
        Trunk(onnx_file.read(path).tensors, ",".join(BLOCKS))
