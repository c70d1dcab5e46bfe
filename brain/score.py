"""Win rates and the evaluations that people see: 0 is even, 200 points per unit of log-odds."""

from __future__ import annotations

import math

UNIT = 200.0


def score_of(win_rate: float) -> int:
    bounded = min(0.9999, max(0.0001, win_rate))
    return round(UNIT * math.log(bounded / (1 - bounded)))


def win_rate_of(score: float) -> float:
    return 1 / (1 + math.exp(-max(-4000.0, min(4000.0, score)) / UNIT))
