"""Elo from game results: error bars, likelihood of superiority, and the pentanomial sequential test.

Scores count 1 for a win, 1/2 for a draw. Games come in pairs (one opening, both colours), and a pair is the
unit of variance: an unbalanced opening gives each player one win and says nothing about strength.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Z95 = 1.959964


def elo_of_score(score: float) -> float:
    """Elo difference at which the expected score is `score`; infinite at 0 and 1."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return -400.0 * math.log10(1.0 / score - 1.0)


def score_of_elo(elo: float) -> float:
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


@dataclass(frozen=True)
class Summary:
    """Results of player A against player B."""

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]  # complete pairs in which A scored 0, 1/2, 1, 3/2, 2

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def standard_error(self) -> float:
        """Of the score: from pairs when all games are paired, else from single games."""
        if not self.games:
            return 0.5
        if 2 * sum(self.pairs) == self.games:
            mean, variance, count = _moments(self.pairs)
            return math.sqrt(variance / count)
        mean = self.score
        square = (self.wins + self.draws / 4) / self.games
        return math.sqrt(max(square - mean * mean, 0.0) / self.games)

    def elo_interval(self) -> tuple[float, float, float]:
        """Elo of A over B with its 95 % limits: (low, best, high).

        Where every pair ended alike the observed variance is zero; the limits then come from the exact
        chance of such a run, so that 20 of 20 is never printed as certainty.
        """
        error = self.standard_error()
        if error > 0.0:
            low, high = self.score - _Z95 * error, self.score + _Z95 * error
        else:
            margin = 1.0 - 0.05 ** (1.0 / max(self.games, 1))
            low, high = self.score - margin, self.score + margin
        return elo_of_score(max(low, 0.0)), elo_of_score(self.score), elo_of_score(min(high, 1.0))

    def los(self) -> float:
        """Likelihood that A is the stronger player, given the results."""
        error = self.standard_error()
        if error == 0.0:
            decided = self.wins + self.losses
            return 0.5 if self.wins == self.losses else (1.0 - 0.5**decided if self.wins else 0.5**decided)
        return 0.5 * (1.0 + math.erf((self.score - 0.5) / error / math.sqrt(2.0)))


def _moments(pairs: Sequence[float]) -> tuple[float, float, float]:
    """Mean and variance of the score per game of a pair, and the number of pairs."""
    count = sum(pairs)
    mean = sum(n * k / 4 for k, n in enumerate(pairs)) / count
    variance = sum(n * (k / 4 - mean) ** 2 for k, n in enumerate(pairs)) / count
    return mean, variance, count


def summarise(scores: Sequence[tuple[float | None, float | None]]) -> Summary:
    """A's scores in pairs of games with colours exchanged; None marks a game not played yet."""
    games = [score for pair in scores for score in pair if score is not None]
    pairs = [0, 0, 0, 0, 0]
    for first, second in scores:
        if first is not None and second is not None:
            pairs[int(2 * (first + second))] += 1
    return Summary(games.count(1.0), games.count(0.5), games.count(0.0), (*pairs,))  # type: ignore[arg-type]


def _most_likely(counts: Sequence[float], mean: float) -> list[float]:
    """The distribution of pairs that explains the counts best among those with this mean."""
    total = sum(counts)
    offsets = [k / 4 - mean for k in range(5)]

    def slope(tilt: float) -> float:
        return sum(n * d / (1 + tilt * d) for n, d in zip(counts, offsets, strict=True))

    # The tilt keeps every 1 + tilt * offset positive; the slope falls through its only zero in between.
    low, high = -1 / offsets[-1] + 1e-12, -1 / offsets[0] - 1e-12
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return [n / total / (1 + low * d) for n, d in zip(counts, offsets, strict=True)]


@dataclass(frozen=True)
class Sprt:
    """Sequential test of "A is better by elo1" against "by elo0" (logistic Elo)."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # chance to accept elo1 when elo0 is true
    beta: float = 0.05  # chance to accept elo0 when elo1 is true

    @property
    def bounds(self) -> tuple[float, float]:
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """Log-likelihood ratio of the two hypotheses, each at its most likely distribution of pairs."""
        counts = [n + 1e-3 for n in pairs]  # a trace of every kind, so that no probability is zero
        low = _most_likely(counts, score_of_elo(self.elo0))
        high = _most_likely(counts, score_of_elo(self.elo1))
        return sum(n * math.log(h / g) for n, g, h in zip(counts, low, high, strict=True))

    def decision(self, pairs: Sequence[int]) -> str:
        """`accept`, `reject` or `continue`."""
        lower, upper = self.bounds
        llr = self.llr(pairs)
        return "accept" if llr >= upper else "reject" if llr <= lower else "continue"
