"""Networks against each other at equal simulations: two of them for promotion, many for the best checkpoint."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.stats import Sprt, Summary, summarise
from cython_core import EMPTY, Board
from training.player import Player
from training.selfplay import fair_opening, has_move
from training.workers import results

UNFAIR, OPENING_SIMULATIONS = 0.25, 60
"""An opening is even if both networks value it at most this far from one half after this number of simulations."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class Match:
    """What decides a match, apart from the networks."""

    games: int = 200
    simulations: int = 200
    rules: tuple[int, ...] = (0, 0, 1, 4, 8, 9)
    """In turn."""
    sizes: tuple[int, ...] = (15, 15, 20)
    """Drawn at random."""
    seed: int = 0
    """Of all dice: matches of one seed have the same openings."""
    sprt: Sprt | None = None
    """Decides whether the first network replaces the second, and when that is known; without it `win_rate` does."""
    win_rate: float = 0.55


@dataclass(frozen=True)
class Pairing:
    """Two games from one opening with colours changed."""

    networks: tuple[str, str]
    """Full graphs; empty: shapes and rollouts only."""
    match: Match
    number: int


_players: dict[str, Player] = {}


def play_pair(pairing: Pairing) -> tuple[float, float]:
    """Scores of the first network: as black of the opening, as white of it."""
    for network in pairing.networks:
        if network not in _players:
            _players[network] = Player(Path(network) if network else None)
    match, number = pairing.match, pairing.number
    both = [_players[network] for network in pairing.networks]
    rng = random.Random(f"{match.seed} {number}")
    size = rng.choice(match.sizes)
    board = Board(size, size, match.rules[number % len(match.rules)])
    for player in both:
        player.new_game(number)
    cells = fair_opening(board, rng, both, OPENING_SIMULATIONS, UNFAIR)
    scores = []
    for black in (0, 1):
        for player in both:
            player.new_game(number)
        winner = play_out(board, cells, [both[black], both[1 - black]], match.simulations)
        scores.append(0.5 if winner == EMPTY else float(winner == black))
    return scores[0], scores[1]


def play_out(board: Board, cells: list[int], players: list[Player], simulations: int) -> int:
    """Winner of a game from an opening, players by colour; EMPTY for a draw. The board comes back empty."""
    for cell in cells:
        board.play(cell)
    played = len(cells)
    while board.winner == EMPTY and has_move(board):
        board.play(players[board.side].search(board, simulations).best().cell)
        played += 1
    winner = int(board.winner)
    for _ in range(played):
        board.undo()
    return winner


def pairs(pairings: list[Pairing], processes: int) -> Iterator[tuple[float, float]]:
    """Scores in the order of the pairings: taken as they end, short games would decide a sequential test."""
    return results(play_pair, pairings, processes, in_order=True)


@dataclass(frozen=True)
class Verdict:
    summary: Summary
    promoted: bool
    reason: str


def pit_two(new: str, old: str, match: Match, processes: int, report: Report = print) -> Verdict:
    """Plays a match in pairs of games, and says whether the new network may replace the old one."""
    pairings = [Pairing((new, old), match, number) for number in range(match.games // 2)]
    scores: list[tuple[float | None, float | None]] = []
    sprt = match.sprt
    for score in pairs(pairings, processes):
        scores.append(score)
        summary = summarise(scores)
        if len(scores) % 10 == 0:
            report(f"{summary.games} of {match.games} games: +{summary.wins} ={summary.draws} -{summary.losses}")
        if sprt is not None and sprt.decision(summary.pairs) != "continue":
            break
    summary = summarise(scores)
    if sprt is not None:
        decision = sprt.decision(summary.pairs)
        return Verdict(summary, decision == "accept", f"sequential test ({sprt.elo0:g}, {sprt.elo1:g}): {decision}")
    return Verdict(summary, summary.score >= match.win_rate, f"score {summary.score:.3f}, needed {match.win_rate:g}")


def round_robin(networks: list[str], match: Match, processes: int, report: Report = print) -> list[tuple[str, float]]:
    """Every network against every other; (network, mean score), best first."""
    points = dict.fromkeys(networks, 0.0)
    played = dict.fromkeys(networks, 0)
    for one, other in itertools.combinations(networks, 2):
        summary = pit_two(one, other, match, processes, report).summary
        report(f"{one or '-'} - {other or '-'}: +{summary.wins} ={summary.draws} -{summary.losses}")
        for network, score in ((one, summary.score), (other, 1 - summary.score)):
            points[network] += score * summary.games
            played[network] += summary.games
    table = [(network, points[network] / max(1, played[network])) for network in networks]
    return sorted(table, key=lambda entry: -entry[1])
