"""The recipe of a training run and its options on the command line. Needs no PyTorch."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields

from training.options import count, count_or_none, not_negative, positive, share


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the result of a run, apart from the data."""

    steps: int = 8000
    minutes: float = 0.0
    """Time budget: when set, the learning rate follows the clock and `steps` is only a limit."""
    batch: int = 512
    rate: float = 2e-3
    """Peak learning rate; linear warm-up, cosine decay to a hundredth."""
    warm_up: int = 200
    decay: float = 0.02
    """AdamW weight decay."""
    value_share: float = 0.5
    """Weight of the value loss beside the policy loss."""
    eval_share: float = 0.5
    """Teacher's evaluation in the value target; the rest is the game's result."""
    average: float = 0.999
    """EMA decay of the exported weights."""
    seed: int = 1


GENERATION_RECIPE = Recipe(steps=1500, rate=5e-4, warm_up=50)
"""A network that is already good learns at a lower rate."""


def add_recipe(parser: argparse.ArgumentParser, defaults: Recipe) -> None:
    """Options for what a user may want to choose of a recipe."""
    choices = {
        "steps": (count, "optimiser steps"),
        "minutes": (not_negative, "time budget, 0 for none; the rate then follows the clock"),
        "batch": (count, "positions per step"),
        "rate": (positive, "peak learning rate"),
        "value_share": (not_negative, "weight of the value loss beside the policy loss"),
        "eval_share": (share, "teacher's share of value targets"),
        "average": (share, "EMA decay of the exported weights"),
        "seed": (count_or_none, "of the order of positions and their symmetries"),
    }
    for name, (read, text) in choices.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=read, default=getattr(defaults, name),
                            help=f"{text} (default %(default)s)")  # fmt: skip


def recipe_of(options: argparse.Namespace, defaults: Recipe) -> Recipe:
    """The recipe that the options ask for; what has no option is as in `defaults`."""
    given = vars(options)
    return Recipe(**{field.name: given.get(field.name, getattr(defaults, field.name)) for field in fields(Recipe)})
