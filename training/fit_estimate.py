"""Fits the static estimate of cython_core/search/estimate.pyx to teacher games and prints the coefficients.

Logistic regression of the half sum of the game's result and the teacher's expectation (less noisy than the result
alone) on shape and class counts of both sides. Numpy only, nothing random.

    python -m training.fit_estimate [--stride N]
"""

from __future__ import annotations

import argparse

import numpy as np

import cython_core as core
from cython_core.probes import shape_counts
from cython_core.search.estimate import expected_result
from training.options import count
from training.teacher import read_examples

SHAPES, CLASSES, FIRST_CLASS, MOST = 11, 11, 2, 6
RIDGE = 1e-3


def features(board: core.Board) -> list[float]:
    """One, renju black, renju white; then for each side shapes, classes up to MOST, classes at all."""
    fouls = core.RULE_BOOK[board.rule].fouls
    row = [1.0, float(fouls and board.side == core.BLACK), float(fouls and board.side == core.WHITE)]
    for colour in (board.side, 1 - board.side):
        counts = [board.count(colour, klass) if klass >= FIRST_CLASS else 0 for klass in range(CLASSES)]
        # DEAD is left out: the other shapes tell how many cells are dead.
        row += [0.0, *(count / 10 for count in shape_counts(board, colour)[1:])]
        row += [float(min(count, MOST)) for count in counts] + [float(count > 0) for count in counts]
    return row


def read(held_out: bool, stride: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features, results, the teacher's expectations, and what the compiled estimate says."""
    rows = [
        (features(example.board), example.result, example.expected, expected_result(example.board))
        for example in read_examples(held_out, stride)
    ]
    return (np.array([row[0] for row in rows]), np.array([row[1] for row in rows]),
            np.array([row[2] for row in rows]), np.array([row[3] for row in rows]))


def logistic(inputs: np.ndarray, theta: np.ndarray) -> np.ndarray:
    rates: np.ndarray = 1 / (1 + np.exp(-(inputs @ theta)))
    return rates


def fit(inputs: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Ridge logistic regression by Newton's method."""
    theta = np.zeros(inputs.shape[1])
    for _ in range(20):
        odds = logistic(inputs, theta)
        curvature = (inputs * (odds * (1 - odds))[:, None]).T @ inputs / len(target) + RIDGE * np.eye(len(theta))
        theta -= np.linalg.solve(curvature, inputs.T @ (odds - target) / len(target) + RIDGE * theta)
    return theta


def quality(said: np.ndarray, result: np.ndarray) -> str:
    """Cross-entropy, and how often a won position is valued above a lost one (AUC)."""
    entropy = -(result * np.log(said) + (1 - result) * np.log(1 - said)).mean()
    won, lost = np.sort(said[result == 1]), said[result == 0]
    above = 1 - (np.searchsorted(won, lost) + np.searchsorted(won, lost, "right")) / 2 / len(won)
    return f"cross-entropy {entropy:.4f}, AUC {above.mean():.4f} of {len(said)} positions"


def print_coefficients(theta: np.ndarray) -> None:
    def listed(values: np.ndarray, digits: int) -> str:
        return "[" + ", ".join(f"{value:.{digits}f}" for value in values) + "]"

    print(f"BASE = {theta[0]:.2f}")
    print(f"RENJU_SIDE[:] = {listed(theta[1:3], 2)}")
    for name, part in (("OWN", theta[3:]), ("OTHER", theta[3 + SHAPES + 2 * CLASSES:])):
        print(f"shape_score[{name}][:] = {listed(part[:SHAPES] / 10, 4)}")
        print(f"class_score[{name}][:] = {listed(part[SHAPES:SHAPES + CLASSES], 2)}")
        print(f"class_bonus[{name}][:] = {listed(part[SHAPES + CLASSES:SHAPES + 2 * CLASSES], 2)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stride", type=count, default=8, help="take every n-th position")
    inputs, result, expected, _ = read(held_out=False, stride=parser.parse_args().stride)
    theta = fit(inputs, (result + expected) / 2)
    inputs, result, expected, compiled = read(held_out=True, stride=1)
    print(f"# held out: {quality(logistic(inputs, theta), result)}")
    print(f"# compiled estimate: {quality(compiled, result)}")
    print(f"# the teacher: {quality(np.clip(expected, 0.001, 0.999), result)}")
    print_coefficients(theta)


if __name__ == "__main__":
    main()
