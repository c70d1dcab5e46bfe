"""The games of a loop on disk, and the window of the newest of them. Needs no PyTorch.

A segment is a file of self-play games, `games/selfplay-NUMBER.txt`, that is written by one run of the loop and never
again: it is packed once (`packed/selfplay-NUMBER/`), and a window is a row of packed segments, joined in memory.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.notation import RULE_NAMES
from training.dataset import DataSet, Sampling, chosen_positions, copies_per_game, open_set, pack
from training.files import replacing
from training.games import GameError, read_lines
from training.selfplay import OVERRULED, finished_games

SOURCE = "selfplay"


def segment_path(folder: Path, number: int) -> Path:
    return folder / "games" / f"{SOURCE}-{number:06}.txt"


def segment_number(path: Path) -> int:
    return int(path.stem.partition("-")[2])


def segments(folder: Path) -> list[Path]:
    """The segments that are there, oldest first; GameError names a file that is not one."""
    found = sorted((folder / "games").glob("*.txt"))
    for path in found:
        start, _, number = path.stem.partition("-")
        if start != SOURCE or not number.isdigit():
            raise GameError(f"{path}: not a file of this loop; move it away")
    return sorted(found, key=segment_number)


def next_number(folder: Path) -> int:
    """Of a new segment; one that was there before is not used again, as its packed form may still be there."""
    names = [path.stem for path in (*segments(folder), *(folder / "packed").glob(f"{SOURCE}-*"))]
    return max((int(name.partition("-")[2]) for name in names), default=0) + 1


def packed_folder(segment: Path) -> Path:
    return segment.parent.parent / "packed" / segment.stem


def mend(folder: Path) -> None:
    """After a kill: cuts off the game that was being written, and removes a segment that has no game."""
    for path in segments(folder):
        if not (packed_folder(path) / "meta.json").exists() and not finished_games(path):
            path.unlink()


def packed(segment: Path) -> DataSet:
    """A segment's games, packed now if they were not before; nobody may be writing to it."""
    folder = packed_folder(segment)
    if not (folder / "meta.json").exists():
        pack([segment], folder)
    return open_set(folder)


def records(paths: Sequence[Path], folder: Path) -> DataSet:
    """Game records, packed again when their files have changed."""
    known = [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in paths]
    mark = folder / "files.json"
    if not mark.exists() or json.loads(mark.read_text()) != known:
        mark.unlink(missing_ok=True)
        pack(paths, folder)
        with replacing(mark) as part:
            part.write_text(json.dumps(known))
    return open_set(folder)


def newest(found: Sequence[Path], games: int) -> list[Path]:
    """The newest of these segments, as many as hold `games` games, or all; oldest first."""
    taken: list[Path] = []
    count = 0
    for path in reversed(found):
        if count >= games:
            break
        taken.append(path)
        count += len(packed(path).games)
    return taken[::-1]


def joined(sets: Iterable[DataSet]) -> DataSet:
    """Several sets as one. Segments of self-play become one source."""
    sources: list[str] = []
    columns: dict[str, list[np.ndarray]] = {name: [] for name in ("games", "moves", "evals", "policy", "ends")}
    checksum = dict.fromkeys(columns, 0)
    moves = entries = 0
    for one in sets:
        names = [SOURCE if name.startswith(SOURCE) else name for name in one.sources]
        sources += [name for name in dict.fromkeys(names) if name not in sources]
        games = np.array(one.games)
        games["start"] += moves
        games["source"] = np.array([sources.index(name) for name in names], np.uint16)[games["source"]]
        arrays = {"games": games, "moves": one.moves, "evals": one.evals, "policy": one.policy,
                  "ends": one.ends + np.uint64(entries)}  # fmt: skip
        for name, values in arrays.items():
            columns[name].append(values)
            checksum[name] = zlib.crc32(one.checksum[name].to_bytes(4, "little"), checksum[name])
        moves += len(one.moves)
        entries += len(one.policy)
    return DataSet(sources=sources, checksum=checksum, **{name: np.concatenate(all_) for name, all_ in columns.items()})


def with_share(data: DataSet, share: float) -> Sampling:
    """A sampling in which this share of what is seen comes from records, where there are both."""
    plain = Sampling()
    game, _ = chosen_positions(data, held_out=False)
    seen = np.bincount(data.games["source"][game], copies_per_game(data, plain)[game], len(data.sources))
    own = sum(count for name, count in zip(data.sources, seen, strict=True) if name == SOURCE)
    others = seen.sum() - own
    if not own or not others:
        return plain
    factor = float(share * own / max(1e-9, 1 - share) / others)
    return replace(plain, weights=tuple(
        (start, copies if start == SOURCE else copies * factor) for start, copies in plain.weights
    ))  # fmt: skip


@dataclass
class Tally:
    """How games went."""

    games: int = 0
    moves: int = 0
    black: int = 0
    white: int = 0
    draws: int = 0
    searches: int = 0
    overruled: int = 0

    def count(self, result: str, moves: int, searches: int, overruled: int) -> None:
        self.games += 1
        self.moves += moves
        self.black += result == "B"
        self.white += result == "W"
        self.draws += result == "D"
        self.searches += searches
        self.overruled += overruled

    def told(self) -> dict[str, float]:
        """Games; their mean length; shares of black's and white's wins and of draws; share of the searches with a
        policy target that put another move above the prior's first."""
        games, searches = max(1, self.games), max(1, self.searches)
        shares = {"black": self.black / games, "white": self.white / games, "draws": self.draws / games,
                  "overruled": self.overruled / searches}  # fmt: skip
        length = round(self.moves / games, 1)
        return {"games": self.games, "length": length, **{name: round(value, 3) for name, value in shares.items()}}


def tallies(paths: Iterable[Path]) -> dict[str, Tally]:
    """By rule, and `all` of them."""
    found = {"all": Tally()}
    for path in paths:
        for _, line in read_lines(path):
            head, _, tail = line.partition("#")
            words, tags = head.split(), dict(word.split("=", 1) for word in tail.split())
            overruled, _, searches = tags.get(OVERRULED, "0/0").partition("/")
            if words[0] not in RULE_NAMES.values():
                raise GameError(f"{path}: unknown rule {words[0]!r}")
            for name in (words[0], "all"):
                found.setdefault(name, Tally()).count(words[2], len(words) - 3, int(searches), int(overruled))
    return found
