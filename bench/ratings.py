"""Ratings of several players from the games between them: Bradley-Terry by maximum likelihood, in Elo."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bench.stats import score_of_elo

PRIOR_GAMES = 1.0  # a virtual draw between every two who met: keeps a clean sweep finite


def rate(
    players: Sequence[str], scores: Mapping[tuple[str, str], tuple[float, int]]
) -> dict[str, tuple[float, float]]:
    """Elo and its 95 % half-width for each player; the mean of all ratings is 0.

    `scores` holds for each pair that met, in one order, the first one's points and the number of games.
    """
    meetings = [
        (players.index(a), players.index(b), points + PRIOR_GAMES / 2, games + PRIOR_GAMES)
        for (a, b), (points, games) in scores.items()
        if games
    ]
    elo = [0.0] * len(players)
    slope = math.log(10) / 400
    for _ in range(2000):
        # One Newton step per player against the present ratings of the others; damped, so it cannot swing.
        step = 0.0
        for player in range(len(players)):
            gradient = information = 0.0
            for a, b, points, games in meetings:
                if player in (a, b):
                    expected = score_of_elo(elo[a] - elo[b])
                    gradient += (points - games * expected) * (1 if player == a else -1)
                    information += games * expected * (1 - expected) * slope
            change = 0.7 * gradient / information if information else 0.0
            change = max(-100.0, min(100.0, change))
            elo[player] += change
            step = max(step, abs(change))
        if step < 1e-6:
            break
    mean = sum(elo) / len(elo)
    found = {}
    for player, name in enumerate(players):
        information = sum(
            games * expected * (1 - expected) * slope * slope
            for a, b, _, games in meetings
            if player in (a, b)
            for expected in [score_of_elo(elo[a] - elo[b])]
        )
        margin = 1.96 / math.sqrt(information) if information else math.inf
        found[name] = (elo[player] - mean, margin)
    return found
