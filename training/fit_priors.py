"""Fits the shape-weight priors of cython_core/search/priors.pyx to teacher games and prints the coefficients.

The policy is log-linear over the candidates of a position: a number for each shape a stone makes (or takes from the
other side) along a line, one for the class of the four together, one for its place relative to the last two stones.
Numpy only, nothing random: the same games give the same numbers.

    python -m training.fit_priors [--stride N]
"""

from __future__ import annotations

import argparse

import numpy as np

import cython_core as core
from cython_core.probes import place_number
from cython_core.search.priors import weigh_candidates
from training.options import count
from training.teacher import DECIDING, read_examples

SHAPES, CLASSES, PLACES = 11, 11, 13
CLASS_FEATURES = SHAPES + CLASSES
UNSEEN = {"OWN": DECIDING, "TAKEN": (core.CLASS_FIVE,)}
UNSEEN_SCORE = 8.0
"""What a glance decides is never fitted; it outweighs everything that is."""
RIDGE = 1e-5


class Sample:
    """Candidates of many positions as rows: what they make, take, where they lie, and which were chosen."""

    def __init__(self) -> None:
        self.own_numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.taken_numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.rows: list[tuple[int, int, int, int]] = []
        self.starts: list[int] = []
        self.chosen: list[int] = []
        self.core_ranks: list[int] = []
        self.missed = 0

    def add(self, board: core.Board, choice: int) -> None:
        side, other = board.side, 1 - board.side
        weighed = weigh_candidates(board)
        cells = [cell for cell, _ in weighed]
        if choice not in cells:
            self.missed += 1
            return
        context = int(board.count(other, core.CLASS_OPEN_FOUR) + board.count(other, core.CLASS_DOUBLE_FOUR) > 0)
        lasts = [core.xy(cell) for cell, _ in board.history[-2:]][::-1]
        self.chosen.append(len(self.rows) + cells.index(choice))
        self.core_ranks.append(sum(weight > weighed[cells.index(choice)][1] for _, weight in weighed))
        self.starts.append(len(self.rows))
        for cell in cells:
            numbers = []
            for colour, known in ((side, self.own_numbers), (other, self.taken_numbers)):
                shapes = tuple(sorted(board.shape(cell, colour, direction) for direction in range(4)))
                numbers.append(known.setdefault((context, board.class_of(cell, colour), shapes), len(known)))
            x, y = core.xy(cell)
            places = [place_number(x - last_x, y - last_y) for last_x, last_y in lasts]
            self.rows.append((numbers[0], numbers[1], places[0], places[1]))


def feature_matrix(numbers: dict[tuple[int, int, tuple[int, ...]], int]) -> np.ndarray:
    """[distinct cells, 2 contexts x (shapes, classes)]: how often each shape occurs, and the class."""
    matrix = np.zeros((len(numbers), 2 * CLASS_FEATURES))
    for (context, klass, shapes), number in numbers.items():
        for shape in shapes:
            matrix[number, context * CLASS_FEATURES + shape] += 1
        matrix[number, context * CLASS_FEATURES + SHAPES + klass] = 1
    return matrix


class Policy:
    """The log-linear policy: coefficients and how they act on a sample."""

    def __init__(self, sample: Sample) -> None:
        self.rows = np.array(sample.rows, np.int32)
        self.starts = np.array(sample.starts)
        self.chosen = np.array(sample.chosen)
        self.group = np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, len(self.rows))))
        self.own = feature_matrix(sample.own_numbers)
        self.taken = feature_matrix(sample.taken_numbers)

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        own, taken, places = np.split(theta, [2 * CLASS_FEATURES, 4 * CLASS_FEATURES])
        return own, taken, places.reshape(2, PLACES)

    def scores(self, theta: np.ndarray) -> np.ndarray:
        own, taken, places = self.split(theta)
        rows = self.rows
        shapes = (self.own @ own)[rows[:, 0]] + (self.taken @ taken)[rows[:, 1]]
        total: np.ndarray = shapes + places[0][rows[:, 2]] + places[1][rows[:, 3]]
        return total

    def loss(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean cross-entropy and its gradient."""
        scores = self.scores(theta)
        peak = np.maximum.reduceat(scores, self.starts)
        odds = np.exp(scores - peak[self.group])
        total = np.add.reduceat(odds, self.starts)
        entropy = (np.log(total) + peak - scores[self.chosen]).mean()
        error = odds / total[self.group]
        error[self.chosen] -= 1
        error /= len(self.starts)
        gradient = np.concatenate([
            np.bincount(self.rows[:, 0], error, len(self.own)) @ self.own,
            np.bincount(self.rows[:, 1], error, len(self.taken)) @ self.taken,
            np.bincount(self.rows[:, 2], error, PLACES),
            np.bincount(self.rows[:, 3], error, PLACES),
        ])
        return entropy + RIDGE * float(theta @ theta), gradient + 2 * RIDGE * theta

    def fit(self, steps: int = 400) -> np.ndarray:
        """Coefficients of least cross-entropy, by Adam on the whole sample with a falling step."""
        theta = np.zeros(4 * CLASS_FEATURES + 2 * PLACES)
        mean, square = np.zeros_like(theta), np.zeros_like(theta)
        for step in range(1, steps + 1):
            loss, gradient = self.loss(theta)
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.99 * square + 0.01 * gradient**2
            rate = 0.15 * (1 - step / (steps + 1))
            theta -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
            if step % 100 == 0:
                print(f"# step {step}: cross-entropy {loss:.4f}")
        return theta

    def ranks(self, theta: np.ndarray) -> np.ndarray:
        """How many candidates score better than the chosen one."""
        scores = self.scores(theta)
        return np.add.reduceat((scores > scores[self.chosen][self.group]).astype(int), self.starts)


def accuracy(ranks: np.ndarray, missed: int) -> str:
    """How often the chosen move comes first, and among the first five; a missed one counts as wrong."""
    total = len(ranks) + missed
    first, five = (ranks == 0).sum() / total, (ranks < 5).sum() / total
    return f"top-1 {first:.3f}, top-5 {five:.3f} of {total} positions"


def print_coefficients(policy: Policy, theta: np.ndarray) -> None:
    own, taken, places = policy.split(theta)
    for context, name in enumerate(("AT_EASE", "UNDER_THREAT")):
        for whose, vector in (("OWN", own), ("TAKEN", taken)):
            part = vector[context * CLASS_FEATURES:(context + 1) * CLASS_FEATURES]
            # Every cell has four shapes and a class: measure from the dullest, so that dull cells weigh one.
            shapes, classes = part[:SHAPES] - part[0], part[SHAPES:] - part[SHAPES]
            classes[list(UNSEEN[whose])] = UNSEEN_SCORE
            print(f"shape_score[{name}][{whose}][:] = [{', '.join(f'{value:.2f}' for value in shapes)}]")
            print(f"class_score[{name}][{whose}][:] = [{', '.join(f'{value:.2f}' for value in classes)}]")
    for age in range(2):
        values = ", ".join(f"{value:.2f}" for value in places[age] - places[age][0])
        print(f"place_score[{age}][:] = [{values}]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stride", type=count, default=8, help="take every n-th position")
    sample, test = Sample(), Sample()
    for example in read_examples(held_out=False, stride=parser.parse_args().stride):
        sample.add(example.board, example.choice)
    test.own_numbers, test.taken_numbers = sample.own_numbers, sample.taken_numbers
    for example in read_examples(held_out=True, stride=1):
        test.add(example.board, example.choice)
    print(f"# {len(sample.starts)} positions, {len(sample.rows)} candidates, {sample.missed} moves outside")
    policy, check = Policy(sample), Policy(test)
    theta = policy.fit()
    entropy, _ = check.loss(theta)
    print(f"# held out: cross-entropy {entropy:.4f}, {accuracy(check.ranks(theta), test.missed)}")
    print(f"# compiled priors: {accuracy(np.array(test.core_ranks), test.missed)}")
    print_coefficients(policy, theta)


if __name__ == "__main__":
    main()
