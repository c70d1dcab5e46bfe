"""Elo, error bars and the sequential test against values worked out by hand or by simulation."""

import math
import random

import pytest

from bench.stats import Sprt, elo_of_score, score_of_elo, summarise


def test_elo_and_score_are_inverse() -> None:
    for elo in (-300.0, -1.0, 0.0, 42.0, 800.0):
        assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo)
    assert score_of_elo(400) == pytest.approx(10 / 11)
    assert elo_of_score(1.0) == math.inf and elo_of_score(0.0) == -math.inf


def test_a_summary_counts_games_and_pairs() -> None:
    summary = summarise([(1.0, 1.0), (1.0, 0.0), (0.5, 0.0), (0.0, 0.0), (1.0, None)])
    assert (summary.wins, summary.draws, summary.losses) == (4, 1, 4)
    assert summary.pairs == (1, 1, 1, 0, 1)
    assert summary.score == 0.5


def test_unbalanced_openings_do_not_widen_the_error_bars() -> None:
    # In every opening the colour decides: no information about strength, and no noise either.
    one_sided = summarise([(1.0, 0.0)] * 50)
    mixed = summarise([(1.0, 1.0), (0.0, 0.0)] * 25)
    assert one_sided.standard_error() == 0.0
    assert mixed.standard_error() == pytest.approx(0.5 / math.sqrt(50))


def test_a_clean_sweep_keeps_a_finite_lower_limit() -> None:
    low, best, high = summarise([(1.0, 1.0)] * 10).elo_interval()
    assert best == high == math.inf
    assert 250 < low < 400
    assert summarise([(1.0, 1.0)] * 10).los() > 0.999


def test_the_interval_covers_the_truth_about_19_times_in_20() -> None:
    rng = random.Random(5)
    hits = 0
    for _ in range(400):
        scores = [(float(rng.random() < 0.6), float(rng.random() < 0.6)) for _ in range(100)]
        low, _, high = summarise(scores).elo_interval()
        hits += low <= elo_of_score(0.6) <= high
    assert 365 <= hits <= 395


@pytest.mark.parametrize(("truth", "verdict"), [(0.5, "reject"), (0.56, "accept")])
def test_the_sequential_test_is_usually_right(truth: float, verdict: str) -> None:
    sprt = Sprt(0.0, elo_of_score(0.56))
    rng = random.Random(11)
    right = 0
    for _ in range(30):
        pairs = [0, 0, 0, 0, 0]
        while sprt.decision(pairs) == "continue":
            pairs[2 * ((rng.random() < truth) + (rng.random() < truth))] += 1
        right += sprt.decision(pairs) == verdict
    assert right >= 25


def test_no_games_mean_no_decision() -> None:
    assert abs(Sprt(0, 10).llr([0, 0, 0, 0, 0])) < 0.01
    assert Sprt(0, 10).decision([0, 0, 0, 0, 0]) == "continue"
