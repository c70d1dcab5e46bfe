"""Recorded games, searched anew: every chosen move gets a policy and a value of today's network.

A record says which move somebody played; a search says of every move how good it looks. Both are kept: the new policy
is a mixture of the two, and an evaluation that the record has already stays unless the search has proved something.
Lines are written in the order of the input, so a run that was killed goes on behind its last whole line.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cython_core import Board
from training.curves import Progress
from training.files import alone_with, naming
from training.games import Game, GameError, format_game, parse_game, read_games, read_lines
from training.planning import completed_policy
from training.player import Player
from training.selfplay import append_line
from training.workers import results


@dataclass(frozen=True)
class Relabelling:
    """What decides the labels, apart from the game."""

    network: str
    simulations: int = 32
    played_share: float = 0.5
    """Of the recorded move in the policy; the rest is the search's."""


def relabelled(player: Player, game: Game, how: Relabelling) -> Game:
    """`game` with a policy and an evaluation for every chosen move; the search begins anew with every game."""
    player.new_game(1)
    board = Board(game.width, game.height, game.rule)
    evals, policies = [], []
    for ply, cell in enumerate(game.moves):
        if ply >= game.opening:
            searched = player.search(board, how.simulations)
            policies.append(mixed(completed_policy(searched), cell, how.played_share))
            kept = None if game.evals is None or searched.proof else game.evals[ply - game.opening]
            evals.append(searched.evaluation() if kept is None else kept)
        board.play(cell)
    game.evals, game.policies = evals, policies
    return game


def mixed(policy: dict[int, float], played: int, share: float) -> dict[int, float]:
    """A policy of which `share` is the move that was played."""
    shares = {cell: (1 - share) * value for cell, value in policy.items() if share < 1}
    if share > 0:
        shares[played] = shares.get(played, 0.0) + share
    return shares


_player: Player | None = None


def relabel_line(task: tuple[Relabelling, str, str]) -> str:
    """One task of a worker process; the player is made once per process."""
    global _player
    how, line, where = task
    if _player is None:
        _player = Player(Path(how.network))
    try:
        game = parse_game(line)
    except ValueError as error:
        raise GameError(f"{where}: {error}") from error
    return format_game(relabelled(_player, game, how))


def relabel(
    how: Relabelling, source: Path, target: Path, processes: int, report: Callable[[str], None] = print
) -> int:
    """Writes the games of `source` with new labels to `target`; returns how many were new."""
    if target.suffix == ".gz":
        raise GameError(f"{target}: labels are plain text, so that they can be gone on with; name a .txt file")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.touch()
    with alone_with(target):
        done = whole_lines(target)
        total = sum(1 for _ in read_lines(source))
        if done > total:
            raise GameError(f"{target}: has {done} games, more than {source}: made of another file")
        checked = zip(read_games(target), read_games(source), strict=False)
        for number, (new, old) in enumerate(itertools.islice(checked, done), 1):
            if new.moves != old.moves:
                raise GameError(f"{target}: game {number} is not that of {source}: made of another file")
        bar = Progress(0, report)
        numbered = itertools.islice(read_lines(source), done, None)
        tasks = ((how, line, f"{source}:{number}") for number, line in numbered)
        with target.open("ab", buffering=0) as file, naming(target):
            for count, line in enumerate(results(relabel_line, tasks, processes, in_order=True), done + 1):
                append_line(file, line)
                bar.show(count, count / total, count, {})
    report(f"{target}: {total} games, {total - done} of them new")
    return total - done


def whole_lines(path: Path) -> int:
    """How many lines a file has; a piece of one that a kill has left is cut off."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    return content.count(b"\n")
