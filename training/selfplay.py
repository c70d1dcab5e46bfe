"""Self-play: games of a network against itself, as game lines with search policies. Owns the recipe of a game.

Games are numbered tasks that know nothing of each other: an interrupted run plays the numbers still missing, and
the same tasks run in local processes or on a Ray cluster.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bench.notation import RULE_NAMES
from brain import onnx_file, weights
from cython_core import EMPTY, Board
from training.curves import Progress
from training.files import alone_with, naming
from training.games import Game, GameError, format_game, read_lines
from training.planning import completed_policy, plan
from training.player import Curiosity, Move, Player, Searched
from training.workers import results

HEADING = "# selfplay "
"""Begins the first line of a game file, which says with what its games were played."""
TURNS_AT_ONCE = 20
"""Turns through the rules that are played rule by rule: a new rule's tables take a worker nearly as long as a game,
and a run that is cut short should still have games of every rule."""
DRAWS = 1000
"""Openings tried for one game."""
OVERRULED = "overruled"
"""Tag of a game: in how many of its searches with a policy target another move came above the prior's first."""


@dataclass(frozen=True)
class Settings:
    """What decides a self-play game, apart from its number."""

    network: str
    """Full graph of the network; empty: shapes and rollouts only."""
    simulations: int = 300
    """A full search: noise at the root, policy target."""
    cheap: int = 60
    """The other searches: no noise, and no policy target unless they prove something."""
    full_share: float = 0.3
    plan: int = 0
    """Every search is a plan of this many simulations with a policy target, whatever the above say; 0: none is."""
    noise: float = 0.25
    inner_noise: float = 0.0
    root_visits: int = 0
    """Of a full search (`Curiosity`)."""
    curious_plies: int = 8
    """Moves after the opening that are drawn by visits instead of taken by strength."""
    temperature: float = 1.0
    """How evenly they are drawn (`drawn`)."""
    unfair: float = 0.25
    """Openings whose win rate is farther than this from one half are drawn anew."""
    rules: tuple[int, ...] = (0, 0, 1, 4, 8, 9)
    """Rules in turn; freestyle twice as often."""
    sizes: tuple[int, ...] = (15, 15, 20)
    seed: int = 0
    """Of all dice: games of one number differ between seeds."""

    def told(self) -> dict[str, Any]:
        """As the first line of a game file tells them: the network by its id, wherever its files are."""
        network = ""
        if self.network:
            network = onnx_file.read(weights.find(Path(self.network))).metadata.get("network", "")
        return {**asdict(self), "network": network, "rules": list(self.rules), "sizes": list(self.sizes)}


def drawn(searched: Searched, temperature: float, rng: random.Random) -> Move | None:
    """A visited move that is still open, by visits to the power of 1 / temperature; None if there is none."""
    alive = [move for move in searched.moves if move.proof is None and move.visits]
    most = max((move.visits for move in alive), default=0)
    return rng.choices(alive, [(move.visits / most) ** (1 / temperature) for move in alive])[0] if alive else None


def opening(board: Board, rng: random.Random) -> list[int]:
    """Random stones near each other, none of them a foul or the end of the game; leaves the board empty."""
    while True:
        spread = rng.choice((2, 2, 3, 4))
        centre = [rng.randint(spread, side - 1 - spread) if side > 2 * spread else side // 2
                  for side in (board.width, board.height)]  # fmt: skip
        near = [
            x + 32 * y
            for x in range(centre[0] - spread, centre[0] + spread + 1)
            for y in range(centre[1] - spread, centre[1] + spread + 1)
            if 0 <= x < board.width and 0 <= y < board.height
        ]
        cells = rng.sample(near, min(rng.randint(1, 7), len(near)))
        played = 0
        for cell in cells:
            if not board.legal(cell) or board.winner != EMPTY:
                break
            board.play(cell)
            played += 1
        fine = played == len(cells) and board.winner == EMPTY
        for _ in range(played):
            board.undo()
        if fine:
            return cells


def fair_opening(
    board: Board, rng: random.Random, players: Sequence[Player], simulations: int, unfair: float
) -> list[int]:
    """An opening that every player finds undecided and at most `unfair` from even; leaves the board empty."""
    for _ in range(DRAWS):
        cells = opening(board, rng)
        for cell in cells:
            board.play(cell)
        found = [player.search(board, simulations) for player in players]
        for _ in cells:
            board.undo()
        if all(view.proof is None and abs(view.value - 0.5) <= unfair for view in found):
            return cells
    raise GameError(f"none of {DRAWS} openings is even to the network on {board.width}x{board.height}, "
                    f"{RULE_NAMES[board.rule]}: its values are of no use")  # fmt: skip


def has_move(board: Board) -> bool:
    """Is there a legal cell? Black may have nothing but fouls left."""
    return any(map(board.legal, board.all_cells()))


def play_game(player: Player, settings: Settings, number: int) -> Game:
    """Game `number` of a run. Every move is searched; some searches are full ones and leave a policy target.

    Depends on the player's network, the settings and the number only, so it does not matter who played what before.
    """
    rng = random.Random(f"{settings.seed} {number}")
    rule, size = settings.rules[number % len(settings.rules)], rng.choice(settings.sizes)
    player.new_game(rng.getrandbits(64))
    board = Board(size, size, rule)
    curiosity = Curiosity(settings.noise, settings.inner_noise, settings.root_visits)
    cells = fair_opening(board, rng, [player], settings.cheap, settings.unfair)
    for cell in cells:
        board.play(cell)
    game = Game(rule, size, size, "D", cells, len(cells), [], [], tags={"seed": str(number)})
    assert game.evals is not None and game.policies is not None
    overruled = 0
    while board.winner == EMPTY and has_move(board):
        curious = board.ply < game.opening + settings.curious_plies
        full = settings.plan > 0 or rng.random() < settings.full_share
        if settings.plan:
            player.begin(board)
            searched, move = plan(player, settings.plan, rng if curious else None, settings.temperature)
        else:
            searched = player.search(board, *((settings.simulations, curiosity) if full else (settings.cheap,)))
            move = searched.best()
            if searched.proof is None and curious:
                move = drawn(searched, settings.temperature, rng) or move
        game.evals.append(searched.evaluation())
        target = completed_policy(searched) if full or searched.proof is not None else {}
        game.policies.append(target)
        if target:
            overruled += max(target, key=target.__getitem__) != max(searched.moves, key=lambda move: move.prior).cell
        game.moves.append(move.cell)
        board.play(move.cell)
    if board.winner != EMPTY:
        game.result, game.end = "BW"[board.winner], "five"
    else:
        game.end = "draw"
    game.tags[OVERRULED] = f"{overruled}/{sum(map(bool, game.policies))}"
    return game


_player: tuple[str, Player] | None = None


def play_line(task: tuple[Settings, int]) -> str:
    """One task of a worker process: the line of a game. The player is made once per process and network."""
    global _player
    settings, number = task
    if _player is None or _player[0] != settings.network:
        _player = settings.network, Player(Path(settings.network) if settings.network else None)
    return format_game(play_game(_player[1], settings, number))


def played(tasks: Iterable[tuple[Settings, int]], processes: int, ray: str) -> Generator[str]:
    """Games as lines, in the order they end, from local processes or, with an address, from a Ray cluster."""
    if ray:
        from training.cluster import cluster_lines

        return cluster_lines(tasks, ray)
    return results(play_line, tasks, processes)


def append_line(file: BinaryIO, line: str) -> None:
    """Puts a whole line on the disk; a piece of one that a full disk has left is cut off by `finished_games`."""
    data = f"{line}\n".encode()
    while data:
        data = data[file.write(data) :]
    os.fsync(file.fileno())


def is_begun(path: Path, settings: Settings) -> bool:
    """Does a file hold games of these settings, by what its first line says? GameError if it holds anything else."""
    if not path.stat().st_size:
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.readline()
    if not first.endswith("\n") and (first.startswith(HEADING) or HEADING.startswith(first)):
        return False  # a kill came within the first line
    try:
        theirs = dict(json.loads(first.removeprefix(HEADING))) if first.startswith(HEADING) else {}
    except (TypeError, ValueError):
        theirs = {}
    if not theirs:
        raise GameError(f"{path}: its first line does not tell its games' settings; move it away, or name another")
    theirs.setdefault("plan", 0)  # files from before there were plans
    other = [f"{name} {theirs.get(name)}, not {value}" for name, value in settings.told().items()
             if theirs.get(name) != value]  # fmt: skip
    if other:
        raise GameError(f"{path}: its games were played with {'; '.join(other)}; move it away, or name another")
    return True


def finished_games(path: Path) -> set[int]:
    """Numbers of the games in a file of ours; a last line cut off by a kill is removed from it."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    found = set()
    for number, line in read_lines(path):
        tag = next((word[5:] for word in line.split() if word.startswith("seed=")), None)
        if tag is None or not tag.isdigit():
            raise GameError(f"{path}:{number}: not a self-play game: no seed=")
        found.add(int(tag))
    return found


def playing_order(settings: Settings, numbers: Iterable[int]) -> list[int]:
    """Game numbers as they are to be played: in blocks of TURNS_AT_ONCE turns, rule by rule within a block. The seed
    says which rule comes first: many short runs play all rules, too."""
    turn, rules = len(settings.rules), sorted(set(settings.rules))
    places = {rule: (place + settings.seed) % len(rules) for place, rule in enumerate(rules)}
    return sorted(numbers, key=lambda number: (number // (turn * TURNS_AT_ONCE), places[settings.rules[number % turn]]))


def selfplay(
    settings: Settings, path: Path, games: int, processes: int, ray: str, report: Callable[[str], None] = print
) -> int:
    """Plays until `path` holds `games` games; returns how many were new. Each game is on disk before the next.

    A file that was begun with other settings, or that is not ours, is refused and left as it is.
    """
    if path.suffix == ".gz":
        raise GameError(f"{path}: self-play is plain text, so that it can be gone on with; name a .txt file")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with alone_with(path):
        begun = is_begun(path, settings)
        done = finished_games(path)
        numbers = playing_order(settings, (number for number in range(games) if number not in done))
        lines = played(((settings, number) for number in numbers), processes, ray)
        bar = Progress(0, report)
        positions = 0
        with path.open("ab", buffering=0) as file:
            if not begun:
                with naming(path):
                    append_line(file, HEADING + json.dumps(settings.told()))
            for count, line in enumerate(lines, 1):
                with naming(path):
                    append_line(file, line)
                positions += line.count(",") // 2
                bar.show(count + len(done), (count + len(done)) / games, positions, {})
    rules = ", ".join(RULE_NAMES[rule] for rule in dict.fromkeys(settings.rules))
    report(f"{path}: {len(done) + len(numbers)} games ({rules}), {len(numbers)} of them new")
    return len(numbers)
