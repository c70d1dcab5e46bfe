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
from training.selfplay import has_move, opening
from training.workers import results

Report = Callable[[str], None]


@dataclass(frozen=True)
class Pairing:
    """Two games from one opening with colours changed."""

    networks: tuple[str, str]
    """Full graphs; empty: shapes and rollouts only."""
    number: int
    simulations: int
    rule: int
    size: int


_players: dict[str, Player] = {}


def play_pair(pairing: Pairing) -> tuple[float, float]:
    """Scores of the first network: as black of the opening, as white of it."""
    for network in pairing.networks:
        if network not in _players:
            _players[network] = Player(Path(network) if network else None)
    rng = random.Random(pairing.number)
    board = Board(pairing.size, pairing.size, pairing.rule)
    cells = opening(board, rng)
    scores = []
    for black in (0, 1):
        players = [_players[pairing.networks[(colour + black) % 2]] for colour in (0, 1)]
        for player in players:
            player.new_game(pairing.number)
        winner = play_out(board, cells, players, pairing.simulations)
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


def pit_two(
    new: str, old: str, games: int, simulations: int, processes: int, rules: tuple[int, ...], size: int,
    sprt: Sprt | None, win_rate: float, report: Report = print,
) -> Verdict:
    """Plays `games` games in pairs; stops early when the sequential test has decided. Without one, by win rate."""
    pairings = [
        Pairing((new, old), number, simulations, rules[number % len(rules)], size) for number in range(games // 2)
    ]
    scores: list[tuple[float | None, float | None]] = []
    for score in pairs(pairings, processes):
        scores.append(score)
        summary = summarise(scores)
        if len(scores) % 10 == 0:
            report(f"{summary.games} games: +{summary.wins} ={summary.draws} -{summary.losses}")
        if sprt is not None and sprt.decision(summary.pairs) != "continue":
            break
    summary = summarise(scores)
    if sprt is not None:
        decision = sprt.decision(summary.pairs)
        return Verdict(summary, decision == "accept", f"sequential test ({sprt.elo0:g}, {sprt.elo1:g}): {decision}")
    return Verdict(summary, summary.score >= win_rate, f"score {summary.score:.3f}, needed {win_rate:g}")


def round_robin(
    networks: list[str], games: int, simulations: int, processes: int, rules: tuple[int, ...], size: int,
    report: Report = print,
) -> list[tuple[str, float]]:
    """Every network against every other; (network, mean score), best first."""
    points = dict.fromkeys(networks, 0.0)
    played = dict.fromkeys(networks, 0)
    for one, other in itertools.combinations(networks, 2):
        verdict = pit_two(one, other, games, simulations, processes, rules, size, None, 0.5, lambda text: None)
        summary = verdict.summary
        report(f"{one} - {other}: +{summary.wins} ={summary.draws} -{summary.losses}")
        for network, score in ((one, summary.score), (other, 1 - summary.score)):
            points[network] += score * summary.games
            played[network] += summary.games
    table = [(network, points[network] / max(1, played[network])) for network in networks]
    return sorted(table, key=lambda entry: -entry[1])
