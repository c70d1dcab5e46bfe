"""What decides a loop, and which network it is making: needs no PyTorch."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from training.files import replacing
from training.games import GameError
from training.pit import Match
from training.recipe import LOOP_RECIPE, Recipe

NAME = "cycle.json"
LOOP_MATCH = Match(games=100, simulations=100)
LOOP_SIMULATIONS = 100
"""Of a planned search: targets about as good as those of 300, several times as many in an hour (docs/training.md)."""
LOOP_TEMPERATURE = 0.5
"""Of the first moves: at 1 the moves that such plans draw lose games early."""


@dataclass(frozen=True)
class Plan:
    """What decides a loop, apart from its self-play."""

    networks: int = 0
    """Networks in all, after the one it begins with; 0: it does not end."""
    fresh: int = 300
    """New games that each network needs."""
    window: int = 20000
    """Newest games to learn from."""
    passes: float = 2.0
    """How often a cycle sees each position of the window, at most."""
    records: tuple[Path, ...] = ()
    records_share: float = 0.3
    """Of the positions seen."""
    recipe: Recipe = LOOP_RECIPE
    """Of one network; what it begins with is the network before."""
    gate: Match | None = None
    """What a new network must win to take self-play over; without it, every one does."""
    measure: Match = LOOP_MATCH
    """Against each of the opponents."""
    opponents: tuple[str, ...] = ()
    """Networks that all new ones are measured against (`-`: shapes and rollouts); none: the first of the loop."""
    processes: int = 1
    ray: str = ""


@dataclass(frozen=True)
class Cycle:
    """One network in the making."""

    number: int
    start: str
    """Id of the network it learns on from."""
    segments: list[str]
    """Its window, oldest first."""
    fresh: list[str]
    """Those that no network before has learned from."""


def last_cycle(folder: Path) -> Cycle | None:
    """The network that a loop is making or has made last."""
    path = folder / NAME
    if not path.exists():
        return None
    try:
        cycle = Cycle(**json.loads(path.read_text(encoding="utf-8", errors="replace")))
        if not all(isinstance(name, str) for name in (cycle.start, *cycle.segments, *cycle.fresh)):
            raise ValueError("names expected")
    except (TypeError, ValueError) as error:
        raise GameError(f"{path}: damaged: {error}; without it a new network is begun") from error
    return cycle


def keep(folder: Path, cycle: Cycle) -> None:
    with replacing(folder / NAME) as part:
        part.write_text(json.dumps(asdict(cycle)) + "\n")
