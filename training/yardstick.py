"""Positions of own games that long searches have labelled: a network is measured against what it may become.

Records say what others played. A search of many thousand simulations knows better than the network that guides it, and
than most who left records. A labelled position is a game line: its stones are the opening, the search's best move is
the only chosen one, with the win rate as its evaluation and the visits as its policy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from brain import onnx_file
from cython_core import Board
from training.curves import Progress
from training.files import alone_with, naming
from training.games import DECIDED, Game, GameError, format_game, read_games
from training.player import Player
from training.relabel import whole_lines
from training.selfplay import append_line
from training.workers import results

MEMORY = 256 << 20
"""Of a search: 50,000 simulations leave half of it free."""
LEAST_SHARE = 1e-3
"""Of the visits; moves with less are left out of a policy."""
ORIGIN = "of"
"""Tag of a label: the number of its position among all that were searched."""


@dataclass(frozen=True)
class Yardstick:
    """What decides the labels, apart from the games."""

    network: str
    positions: int = 2000
    simulations: int = 50_000
    per_game: int = 4
    """Positions of one game at most."""

    def heading(self) -> str:
        network = onnx_file.read(Path(self.network)).metadata.get("network", "")
        return f"# labelled by network {network}, {self.simulations} simulations"


def candidates(paths: Sequence[Path], per_game: int) -> Iterator[Game]:
    """Undecided positions of held-out games, in an order that the games alone decide: no stone in them was chosen."""
    for path in paths:
        for game in read_games(path):
            if not game.held_out:
                continue
            chosen = range(game.opening, len(game.moves))
            evals = game.evals if game.evals is not None else [0] * len(chosen)
            open_plies = [ply for ply, eval_ in zip(chosen, evals, strict=True) if abs(eval_) < DECIDED]
            dice = random.Random(str(game.moves))
            for ply in sorted(dice.sample(open_plies, min(per_game, len(open_plies)))):
                yield Game(game.rule, game.width, game.height, "?", game.moves[:ply], ply)


def labelled(player: Player, position: Game, simulations: int) -> Game | None:
    """The position with what a search says of it; None where that is nothing: it is proven, or has one move only."""
    board = Board(position.width, position.height, position.rule)
    for cell in position.moves:
        board.play(cell)
    player.new_game(1)
    searched = player.search(board, simulations)
    if searched.proof is not None or len(searched.moves) < 2:
        return None
    total = sum(move.visits for move in searched.moves)
    policy = {move.cell: move.visits / total for move in searched.moves if move.visits >= LEAST_SHARE * total}
    return replace(
        position, moves=[*position.moves, searched.best().cell], evals=[searched.evaluation()], policies=[policy]
    )


_player: Player | None = None


def label_line(task: tuple[Yardstick, int, Game]) -> str | None:
    """One task of a worker process: the line of a position, if it has one; the player is made once."""
    global _player
    how, number, position = task
    if _player is None:
        _player = Player(Path(how.network), memory=MEMORY)
    found = labelled(_player, position, how.simulations)
    return None if found is None else format_game(replace(found, tags={ORIGIN: str(number)}))


def label(
    how: Yardstick, sources: Sequence[Path], target: Path, processes: int, report: Callable[[str], None] = print
) -> int:
    """Writes labelled positions of the sources' games to `target` until there are as many as asked for; returns how
    many it has. A run that was killed goes on behind its last whole line."""
    if target.suffix == ".gz":
        raise GameError(f"{target}: labels are plain text, so that they can be gone on with; name a .txt file")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.touch()
    with alone_with(target):
        begun = whole_lines(target) > 0
        if begun and target.read_text(encoding="utf-8").partition("\n")[0] != how.heading():
            raise GameError(f"{target}: its first line is not `{how.heading()}`; move it away, or name another")
        done = list(read_games(target)) if begun else []
        last = int(done[-1].tags[ORIGIN]) + 1 if done else 0
        positions = islice(enumerate(candidates(sources, how.per_game)), last, None)
        tasks = ((how, number, position) for number, position in positions)
        bar, count = Progress(0, report), len(done)
        with target.open("ab", buffering=0) as file, naming(target):
            if not begun:
                append_line(file, how.heading())
            for line in results(label_line, tasks, processes, in_order=True) if count < how.positions else ():
                if line is not None:
                    append_line(file, line)
                    count += 1
                    bar.show(count, count / how.positions, count, {})
                if count >= how.positions:
                    break
    report(f"{target}: {count} labelled positions, {count - len(done)} of them new")
    return count
