"""The fits of shape knowledge: reading examples, gradients, and recovery of known numbers."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from walks import random_walks

import cython_core as core
from training import fit_estimate, fit_priors
from training.games import parse_game
from training.teacher import is_decided, read_examples

GAME = "h8 h9 i8 g8 j8 k8 j9 i10 i9 j7"
LINE = f"freestyle 15 B {GAME} # open=3 eval=10,-10,200,-200,400,-400,29997\n"


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "games").mkdir()
    monkeypatch.setenv("RENGA_DATA", str(tmp_path))
    return tmp_path / "games"


def test_examples_are_the_undecided_positions_after_the_opening(games: Path) -> None:
    with gzip.open(games / "teacher_one.txt.gz", "wt") as out:
        out.write(LINE)
    held_out = parse_game(LINE).held_out
    assert list(read_examples(not held_out, 1)) == []
    seen = []
    for example in read_examples(held_out, 1):
        assert not is_decided(example.board)
        assert example.result == float(example.board.side == core.BLACK)
        seen.append((example.board.ply, core.xy(example.choice), round(example.expected, 3)))
    assert seen[:3] == [(3, (6, 7), 0.512), (4, (9, 7), 0.488), (5, (10, 7), 0.731)]


def test_logistic_regression_finds_the_numbers_that_made_the_data() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(4000, 3))
    truth = np.array([0.5, -1.0, 2.0])
    theta = fit_estimate.fit(inputs, fit_estimate.logistic(inputs, truth))
    assert np.allclose(theta, truth, atol=0.05)


def test_quality_counts_pairs_in_the_right_order() -> None:
    said, result = np.array([0.9, 0.4, 0.4, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])
    assert "AUC 0.8750 of 4 positions" in fit_estimate.quality(said, result)


def test_the_gradient_of_the_policy_is_the_slope_of_its_loss() -> None:
    sample = fit_priors.Sample()
    for board in random_walks(71, core.FREESTYLE, 8):
        if not is_decided(board):
            near = [cell for cell, _ in fit_priors.weigh_candidates(board)]
            sample.add(board, near[len(near) // 2])
    policy = fit_priors.Policy(sample)
    size = 4 * fit_priors.CLASS_FEATURES + 2 * fit_priors.PLACES
    theta = np.random.default_rng(2).normal(scale=0.3, size=size)
    loss, gradient = policy.loss(theta)
    for index in np.flatnonzero(np.abs(gradient) > 0.02)[:10]:
        step = np.zeros(size)
        step[index] = 1e-5
        assert policy.loss(theta + step)[0] - loss == pytest.approx(1e-5 * gradient[index], rel=1e-2)


def test_a_choice_outside_the_candidates_is_counted_and_left_out() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    board.play(core.cell(7, 7))
    board.play(core.cell(8, 8))
    sample = fit_priors.Sample()
    sample.add(board, core.cell(0, 0))
    assert (sample.missed, sample.rows) == (1, [])
    assert fit_priors.accuracy(np.array([0, 3, 9]), 1) == "top-1 0.250, top-5 0.500 of 4 positions"
