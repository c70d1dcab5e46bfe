"""The players of ours that a match can name by `@name`."""

from __future__ import annotations

from collections.abc import Callable

from bench.level_player import LevelPlayer
from bench.players import Player
from bench.renga_player import RengaPlayer
from bench.seeds import RECIPES, SeedPlayer
from bench.simple_players import OnePlyPlayer, RandomPlayer, RolloutPlayer

MAKERS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "rollout": RolloutPlayer,
    "one-ply": OnePlyPlayer,
}
RENGA, LEVEL = "renga", "level"


def make_own(name: str, seed: int) -> Player:
    """The player in this process that `@name` stands for; `@renga:options` may change Renga's constants, `@level:3` is
    a level for people."""
    name, _, options = name.partition(":")
    if name == RENGA:
        return RengaPlayer(options, seed)
    if name == LEVEL:
        return LevelPlayer(options, seed)
    if options:
        raise ValueError(f"only @{RENGA} and @{LEVEL} take options, not @{name}")
    if name in RECIPES:
        return SeedPlayer(name, seed)
    if name not in MAKERS:
        known = ", ".join([RENGA, LEVEL, *MAKERS, *RECIPES])
        raise ValueError(f"no player of ours is called {name!r}; there are {known}")
    return MAKERS[name](seed)
