"""What the repository keeps of an endurance run: stretches of games by number, so that the run goes on anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.game import FAULTS, GameRecord


@dataclass(frozen=True)
class Stretch:
    """Games of one revision: their numbers as [first, last] pairs, and what came of them."""

    revision: str
    numbers: list[list[int]]
    games: int
    moves: int
    longest_ms: int
    faults: list[str] = field(default_factory=list)


def stretches_of(records: Sequence[GameRecord]) -> list[Stretch]:
    """One stretch for each revision that played."""
    revisions: dict[str, list[GameRecord]] = {}
    for record in records:
        revisions.setdefault(record.revision, []).append(record)
    found = []
    for revision, played in revisions.items():
        times = [ms for record in played for ms in record.ms[record.opening :]]
        faults = [f"{game.name} {game.reason} {game.note}".rstrip() for game in played if game.reason in FAULTS]
        numbers = ranges(int(record.name) for record in played)
        found.append(Stretch(revision, numbers, len(played), len(times), max(times, default=0), faults))
    return found


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """[1, 2, 3, 7] -> [[1, 3], [7, 7]]"""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def played(stretches: Sequence[Stretch]) -> set[int]:
    return {number for s in stretches for first, last in s.numbers for number in range(first, last + 1)}


def read_stretches(path: Path, header: dict[str, Any]) -> list[Stretch]:
    """What is kept of the run; ValueError if the file is of another one."""
    if not path.exists():
        return []
    data = json.loads(path.read_text())
    if data["header"] != json.loads(json.dumps(header)):
        raise ValueError(f"{path} is of another run; remove it to begin anew")
    return [Stretch(**stretch) for stretch in data["stretches"]]


def write_stretches(path: Path, header: dict[str, Any], stretches: Sequence[Stretch]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"header": header, "stretches": [asdict(stretch) for stretch in stretches]}
    path.write_text(json.dumps(data, indent=1) + "\n")
