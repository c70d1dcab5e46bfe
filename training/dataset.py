"""Packed games on disk and the choice of training positions. Owns the file layout and the sample weights.

A data set is a folder of flat binary files that are mapped, not read: a position is a game number and a ply, so
ten million positions without search policies are 120 MB on disk.

    games.bin    one GAME record per game; `searched`: it has search policies, so a move without one is no target
    moves.bin    uint16 cell of every move of every game
    evals.bin    int16 teacher's evaluation of every move, or ours of a win by fours; NO_EVAL where there is none
    policy.bin   (uint16 cell, float16 share) of every search policy; ends.bin: uint64 end of each move's share of it
    meta.json    names of the sources, the counts, the checksum; written last, so a folder without it is unfinished

A set is packed beside the one that is there and takes its place at the end: whoever has mapped the old one keeps it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cython_core import CLASS_FIVE, Board, solve_vcf
from training.files import alone_with, naming, replacing
from training.games import PROVEN_EVAL, RESULTS, Game, GameError, read_games

FORMAT = 2
NO_EVAL = -32768
GAME = np.dtype([
    ("start", "<u8"), ("length", "<u2"), ("opening", "<u2"), ("source", "<u2"),
    ("rule", "u1"), ("width", "u1"), ("height", "u1"), ("result", "u1"), ("held_out", "u1"), ("searched", "u1"),
])  # fmt: skip
POLICY = np.dtype([("cell", "<u2"), ("share", "<f2")])
FILES = {"games": GAME, "moves": np.dtype("<u2"), "evals": np.dtype("<i2"),
         "policy": POLICY, "ends": np.dtype("<u8")}  # fmt: skip
COUNTS = ("games", "moves", "policy")
META = ("sources", "checksum", *COUNTS)
VCF_NODES = 200
"""Stones that the solver may place in a position."""


@dataclass(frozen=True)
class DataSet:
    """Mapped arrays of one folder."""

    games: np.ndarray
    moves: np.ndarray
    evals: np.ndarray
    policy: np.ndarray
    ends: np.ndarray
    sources: list[str]
    checksum: dict[str, int]
    """CRC-32 of every file."""

    def description(self) -> dict[str, Any]:
        """Tells data sets apart: a run is not resumed with another than it was begun with."""
        return {"sources": self.sources, "games": len(self.games), "moves": len(self.moves), "checksum": self.checksum}

    def rules(self) -> set[int]:
        """The rules there is something to learn of."""
        return {int(rule) for rule in self.games["rule"][self.games["held_out"] == 0]}


def pack(paths: Iterable[Path], folder: Path) -> dict[str, int]:
    """Checks every game of `paths` and writes them to `folder`; returns the counts. GameError names file and line;
    WriteError if another process is packing there.

    Where a game has no evaluations, positions that the side to move wins by fours get one: `proven` counts them; `cut`
    counts the renju games that were cut off before a foul.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sources: list[str] = []
    counts = dict.fromkeys((*COUNTS, "proven", "cut"), 0)
    checksum = dict.fromkeys(FILES, 0)
    meta = folder / "meta.json"
    with ExitStack() as stack:
        stack.enter_context(alone_with(folder))
        meta_part = stack.enter_context(replacing(meta))  # the first to be entered is the last to be moved in
        parts = {name: stack.enter_context(replacing(folder / f"{name}.bin")) for name in FILES}
        files = {name: stack.enter_context(part.open("wb")) for name, part in parts.items()}
        for path in paths:
            sources.append(path.name.partition(".")[0])
            before = counts["games"]
            for game in read_games(path):
                if game.evals is None:
                    game.evals = proven_wins(game)
                    counts["proven"] += len(game.evals) - game.evals.count(NO_EVAL)
                columns = packed(game, len(sources) - 1, counts)
                for name, values in columns.items():
                    content = values.tobytes()
                    checksum[name] = zlib.crc32(content, checksum[name])
                    with naming(folder / f"{name}.bin"):
                        files[name].write(content)
                counts["games"] += 1
                counts["cut"] += game.cut
                counts["moves"] += len(columns["moves"])
                counts["policy"] += len(columns["policy"])
            if counts["games"] == before:
                raise GameError(f"{path}: no games")
        for name, file in files.items():
            with naming(folder / f"{name}.bin"):
                file.close()
        with naming(meta):
            known = {"format": FORMAT, "sources": sources, "checksum": checksum, **counts}
            meta_part.write_text(json.dumps(known, indent=1) + "\n")
        meta.unlink(missing_ok=True)
    return counts


def proven_wins(game: Game) -> list[int]:
    """An evaluation for each chosen move: where the mover had a win by fours, whatever he made of it; else NO_EVAL."""
    board = Board(game.width, game.height, game.rule)
    evals = []
    for ply, cell in enumerate(game.moves):
        if ply >= game.opening:
            found = solve_vcf(board, board.side, VCF_NODES)
            # A line stops at the four that nobody can stop, unless there is a five at once.
            plies = 1 if board.count(board.side, CLASS_FIVE) else len(found.line) + 2
            evals.append(PROVEN_EVAL - plies if found.status == "win" else NO_EVAL)
        board.play(cell)
    return evals


def packed(game: Game, source: int, before: dict[str, int]) -> dict[str, np.ndarray]:
    """What one game adds to each of the FILES, which comes after the `before` ones."""
    record = np.zeros((), GAME)
    record["start"], record["length"] = before["moves"], len(game.moves)
    record["opening"], record["source"] = game.opening, source
    record["rule"], record["width"], record["height"] = game.rule, game.width, game.height
    record["result"], record["held_out"] = RESULTS.index(game.outcome), game.held_out
    record["searched"] = game.policies is not None
    chosen = len(game.moves) - game.opening
    evals = [NO_EVAL] * game.opening + (game.evals or [NO_EVAL] * chosen)
    none: dict[int, float] = {}
    policies = [none] * game.opening + (game.policies or [none] * chosen)
    pairs = [pair for policy in policies for pair in policy.items()]
    ends = before["policy"] + np.cumsum([len(policy) for policy in policies])
    values = {"games": record, "moves": game.moves, "evals": evals, "policy": pairs, "ends": ends}
    return {name: np.array(values[name], dtype) for name, dtype in FILES.items()}


def open_set(folder: Path) -> DataSet:
    """Maps a packed folder; GameError says what is wrong with it."""
    path = folder / "meta.json"
    try:
        meta = json.loads(path.read_text())
        format_ = meta["format"]
        if format_ != FORMAT:
            raise GameError(f"{path}: format {format_} instead of {FORMAT}; pack the games again")
        sources, checksum, games, moves, policy = (meta[key] for key in META)
        checksum = dict(checksum)
        counts = {"games": int(games), "moves": int(moves), "evals": int(moves), "policy": int(policy),
                  "ends": int(moves)}  # fmt: skip
    except FileNotFoundError as error:
        raise GameError(f"{folder}: no packed data set; make one with `python -m training data`") from error
    except GameError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise GameError(f"{path}: damaged ({error}); pack the games again") from error
    arrays = {}
    for name, dtype in FILES.items():
        path = folder / f"{name}.bin"
        if not path.exists() or path.stat().st_size != counts[name] * dtype.itemsize:
            raise GameError(f"{path}: {counts[name]} entries expected; pack the games again")
        arrays[name] = np.memmap(path, dtype, "r") if counts[name] else np.zeros(0, dtype)
        if zlib.crc32(arrays[name].data) != checksum.get(name):
            raise GameError(f"{path}: damaged: its checksum is not the one in meta.json; pack the games again")
    return DataSet(sources=sources, checksum=checksum, **arrays)


@dataclass(frozen=True)
class Sampling:
    """How often a position is seen; expectations, made whole by chance in every epoch."""

    weights: tuple[tuple[str, float], ...] = (("teacher", 2.0), ("selfplay", 2.0), ("human", 0.3), ("", 1.0))
    """(start of the source's name, copies of its positions); the first that fits counts."""
    later: float = 0.5
    """From the first position of a game to its last one copies grow by this share of their mean."""
    short_game: int = 16
    """Games of fewer moves are dropped with a probability growing to `short_drop` for the shortest."""
    short_drop: float = 0.8
    balance: bool = True
    """Repeat the rarer colour's wins, at most threefold, until both colours win equally often within a rule."""


def copies_per_game(data: DataSet, sampling: Sampling) -> np.ndarray:
    """Expected copies of each game's positions, before the growth along the game."""
    per_source = np.array([
        next(weight for start, weight in sampling.weights if name.startswith(start)) for name in data.sources
    ])  # fmt: skip
    games = data.games
    copies: np.ndarray = per_source[games["source"]].astype(np.float64)
    shortness = np.clip(1 - games["length"] / max(1, sampling.short_game), 0, 1)
    copies *= 1 - sampling.short_drop * shortness
    if sampling.balance:
        for rule in np.unique(games["rule"]):
            black, white = ((games["rule"] == rule) & (games["result"] == RESULTS.index(c)) for c in "BW")
            wins = copies[black].sum(), copies[white].sum()
            if min(wins) > 0:
                copies[black if wins[0] < wins[1] else white] *= min(3.0, max(wins) / min(wins))
    return copies


def chosen_positions(data: DataSet, held_out: bool) -> tuple[np.ndarray, np.ndarray]:
    """(game, ply) of every chosen move of one side of the split, in file order."""
    games = np.flatnonzero(data.games["held_out"] == held_out)
    counts = (data.games["length"][games].astype(np.int64) - data.games["opening"][games]).clip(0)
    game = np.repeat(games, counts).astype(np.uint32)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    ply = (np.arange(len(game)) - first + data.games["opening"][game]).astype(np.uint16)
    return game, ply


def one_size_groups(data: DataSet, game: np.ndarray, picks: np.ndarray) -> list[np.ndarray]:
    """The chosen entries of `game`, apart by board size: a batch holds one size."""
    size = data.games["width"][game].astype(np.int64) * 64 + data.games["height"][game]
    return [picks[size[picks] == one] for one in np.unique(size)]


def epoch_batches(
    data: DataSet, sampling: Sampling, batch: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """One epoch of training batches (games, plies) in random order; a batch holds one board size.

    What does not fill a batch of its size waits for another epoch's dice.
    """
    game, ply = chosen_positions(data, held_out=False)
    progress = ply / np.maximum(1, data.games["length"][game])
    expected = copies_per_game(data, sampling)[game] * (1 + sampling.later * (progress - 0.5))
    whole = np.floor(expected)
    number = (whole + (rng.random(len(game)) < expected - whole)).astype(np.int64)
    picks = np.repeat(np.arange(len(game), dtype=np.uint32), number)
    rng.shuffle(picks)
    batches = []
    for group in one_size_groups(data, game, picks):
        batches += [group[start : start + batch] for start in range(0, len(group) - batch + 1, batch)]
    rng.shuffle(order := np.arange(len(batches)))
    return [(game[batches[i]], ply[batches[i]]) for i in order]
