"""cython_core.learning and training.kernels: the core's form of a network against its definition in doubles."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")

from cython_core.learning import lookup, trunk, windows  # noqa: E402
from cython_core.network.encoding import LINE_LIMIT, VARIANTS, WINDOW_ROWS  # noqa: E402
from training import kernels  # noqa: E402
from training.network import LineNetwork, Shape, planes_of  # noqa: E402
from training.windows import WindowLookup, window_indices  # noqa: E402

torch.set_num_threads(1)

SHAPES = [
    Shape(hidden=16, channels=48, blocks="sep,pool,sep", head=8),
    Shape(hidden=32, channels=80, blocks="pool,sep", head=8),
    Shape(hidden=48, channels=16, blocks="sep", head=8),
    Shape(hidden=96, channels=48, blocks="sep,sep,pool,sep,sep", head=32),
]
ROOT = Path(__file__).parent.parent


def network_of(shape: Shape) -> LineNetwork:
    torch.manual_seed(3)
    network = LineNetwork(shape)
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() == 1:
                parameter.normal_(0, 0.1)
        # So large that some line features are cut off.
        network.line.last.weight.mul_(150)
    return network


def some_boards(number: int, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(height * width)
    boards = rng.choice([0, 1, 2], (number, height, width), p=[0.7, 0.15, 0.15]).astype(np.uint8)
    return boards, rng.integers(0, VARIANTS, number).astype(np.uint8)


def inputs_of(boards: np.ndarray, variants: np.ndarray) -> tuple[list[torch.Tensor], torch.Tensor]:
    parts, rows = WindowLookup()(boards, variants)
    return [torch.from_numpy(part) for part in parts], torch.from_numpy(rows)


def answers_and_gradients(network: LineNetwork, policy: torch.Tensor, value: torch.Tensor) -> list[np.ndarray]:
    generator = torch.Generator().manual_seed(1)
    loss = (policy * torch.randn(policy.shape, generator=generator)).sum() + value.square().sum()
    loss.backward()
    found = [policy, value, *(parameter.grad for parameter in network.parameters())]
    return [tensor.detach().double().numpy() for tensor in found]


def by_kernels(shape: Shape, boards: np.ndarray, variants: np.ndarray) -> list[np.ndarray]:
    network = network_of(shape)
    assert kernels.fit(shape.hidden, shape.channels, shape.blocks)
    return answers_and_gradients(network, *network.from_windows(*inputs_of(boards, variants)))


def assert_close(found: list[np.ndarray], expected: list[np.ndarray], tolerance: float) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.blocks)
@pytest.mark.parametrize("size", [(15, 15), (5, 5), (7, 20)], ids=str)
def test_kernels_give_the_answers_and_gradients_of_the_definition(shape: Shape, size: tuple[int, int]) -> None:
    boards, variants = some_boards(5, *size)
    network = network_of(shape).double()
    planes = planes_of(torch.from_numpy(boards), torch.from_numpy(variants)).double()
    expected = answers_and_gradients(network, *network(planes))
    assert_close(by_kernels(shape, boards, variants), expected, 2e-5)


def test_kernels_and_plain_layers_agree_where_features_are_cut_off() -> None:
    boards, variants = some_boards(4, 9, 9)
    parts, rows = inputs_of(boards, variants)
    network = network_of(SHAPES[0])
    cells = network.line.cells(torch.arange(VARIANTS))
    assert network.line.table(cells, parts).abs().max() > LINE_LIMIT
    expected = answers_and_gradients(network, *network.from_windows_plainly(cells, parts, rows))
    assert_close(by_kernels(SHAPES[0], boards, variants), expected, 2e-5)


def test_networks_without_kernels_are_told_apart() -> None:
    assert kernels.fit(96, 48, "sep,sep,pool,sep,sep")
    assert not any(kernels.fit(*other) for other in ((96, 40, "sep"), (20, 48, "sep"), (96, 48, "sep,res")))


@pytest.mark.parametrize("narrow", ["1", "256"])
def test_older_machines_learn_the_same(tmp_path: Path, narrow: str) -> None:
    boards, variants = some_boards(3, 15, 15)
    script = (
        "import sys, numpy as np; from tests.test_training_kernels import *\n"
        "np.savez(sys.argv[1], *by_kernels(SHAPES[0], *some_boards(3, 15, 15)))\n"
    )
    path = tmp_path / "found.npz"
    subprocess.run(
        [sys.executable, "-c", script, str(path)], check=True, cwd=ROOT, env={**os.environ, "RENGA_NARROW": narrow}
    )
    with np.load(path) as found:
        assert_close([found[name] for name in found.files], by_kernels(SHAPES[0], boards, variants), 2e-5)


@pytest.mark.parametrize("size", [(5, 5), (15, 15), (7, 20), (32, 32)], ids=str)
def test_cells_share_a_row_where_they_share_window_and_variant(size: tuple[int, int]) -> None:
    boards, variants = some_boards(6, *size)
    numbers = window_indices(boards) + variants.astype(np.int32)[:, None, None, None] * WINDOW_ROWS
    found = np.empty(numbers.size, np.int32)
    lookup.list_windows(boards, variants, found)
    assert np.array_equal(found, numbers.reshape(-1))
    reduce = WindowLookup()
    for _ in range(2):  # the places are as before
        parts, rows = reduce(boards, variants)
        pairs = np.unique(np.stack([rows.reshape(-1), numbers.reshape(-1)]), axis=1)
        assert pairs.shape[1] == len(np.unique(numbers)) == len(np.unique(rows)) == len(parts[-1])
        assert [part.max() <= len(below) for below, part in pairwise(parts)] == [True] * 4


def test_what_does_not_fit_is_refused() -> None:
    floats, integers = (lambda size: np.zeros(size, np.float32)), (lambda size: np.zeros(size, np.int32))
    with pytest.raises(ValueError, match="no variant"):
        lookup.list_windows(np.zeros((1, 5, 5), np.uint8), np.array([VARIANTS], np.uint8), integers(100))
    with pytest.raises(ValueError, match="0 empty, 1 own or 2 other"):
        lookup.list_windows(np.full((1, 5, 5), 3, np.uint8), np.zeros(1, np.uint8), integers(100))
    with pytest.raises(ValueError, match="beyond its place"):
        lookup.renumber(np.array([7], np.int32), np.full(4, -1, np.int32), integers(4))
    with pytest.raises(ValueError, match="an index is beyond its rows"):
        windows.forward(np.array([0, 3, 0], np.int32), floats(48), None, floats(16), floats(16))
    with pytest.raises(ValueError, match="not a multiple of 16"):
        trunk.Batch(1, 5, 5, 24, [])
    batch = trunk.Batch(1, 5, 5, 16, [False])
    good = [integers(100), floats(32), LINE_LIMIT, floats(16), floats(trunk.packed_size(16)), floats(16), floats(1),
            floats(800), floats(25), floats(32)]  # fmt: skip
    batch.forward(*good)
    for place, wrong in ((0, integers(99)), (0, integers(100) + 2), (4, floats(3)), (7, floats(400)), (9, floats(16))):
        with pytest.raises(ValueError, match=r"instead of|beyond its rows"):
            batch.forward(*[wrong if at == place else given for at, given in enumerate(good)])
