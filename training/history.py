"""The history of a loop: one JSON line per network, in a folder that can be committed. Needs no PyTorch.

The first line is of the network the loop began with (number 0). Later ones tell what was measured of each: `elo` by
opponent (low, estimate, high, games), `fresh` losses on games it had not seen, and `games`, `length`, `black`, `white`,
`draws`, `overruled`: how the games that were played since the line before went. `playing`: it took self-play over.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from training.files import replacing
from training.games import GameError

NAME = "history.jsonl"
Elo = tuple[float, float, float, int]


@dataclass(frozen=True)
class Entry:
    """What is known of one network."""

    number: int
    network: str
    """Its id."""
    playing: bool = True
    time: str = ""
    """When it was finished, UTC."""
    hours: float = 0.0
    """That the loop had run by then."""
    games: int = 0
    """Played by then, in all."""
    positions: int = 0
    """Learned from, in all; one that was seen twice counts twice."""
    window: int = 0
    """Games it learned from."""
    elo: dict[str, Elo] = field(default_factory=dict)
    gate: Elo | None = None
    """Against the network that played before, where that decides."""
    fresh: dict[str, float] = field(default_factory=dict)
    play: dict[str, dict[str, float]] = field(default_factory=dict)
    """By rule, and `all`: what `training.window.Tally` tells of the games since the entry before."""


def read(folder: Path) -> list[Entry]:
    """The networks so far, none if there is no history; GameError names a line that is damaged."""
    path = folder / NAME
    if not path.exists():
        return []
    entries: list[Entry] = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            entry = Entry(**json.loads(line))
            if entry.number != len(entries) or not isinstance(entry.network, str) or not entry.network:
                raise ValueError(f"number {len(entries)} and a network's id expected")
            check(entry)
        except (AttributeError, TypeError, ValueError) as error:
            raise GameError(f"{path}:{number}: damaged: {error}") from error
        entries.append(entry)
    return entries


def check(entry: Entry) -> None:
    """ValueError unless the numbers are numbers: who reads them draws them."""
    tables: list[dict[str, Any]] = [entry.fresh, *entry.play.values()]
    lists = [*entry.elo.values(), *([entry.gate] if entry.gate else [])]
    plain = [entry.hours, entry.games, entry.positions, entry.window]
    values = [*plain, *(value for table in tables for value in table.values()), *(v for one in lists for v in one)]
    if wrong := [value for value in values if not isinstance(value, int | float)]:
        raise ValueError(f"{wrong[0]!r} is not a number")
    if any(len(one) != 4 for one in lists):
        raise ValueError("an Elo is four numbers: low, estimate, high, games")


def add(folder: Path, entry: Entry) -> None:
    """Appends a line; a kill leaves the history with it or without it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(one)) + "\n" for one in (*read(folder), entry)]
    with replacing(folder / NAME) as part:
        part.write_text("".join(lines), encoding="utf-8")
