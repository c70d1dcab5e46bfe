"""The recipe of a training run and its options on the command line. Needs no PyTorch."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields, replace

from training.options import Choices, add_choices, count, count_or_none, not_negative, positive, share


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the result of a run, apart from the data."""

    steps: int = 8000
    """Optimiser steps; 0: as many as `minutes` allow."""
    minutes: float = 0.0
    """Time; 0: as long as `steps` take. With both, the run and the decay of its rate end with what is used up first."""
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


LOOP_RECIPE = Recipe(steps=0, minutes=20, batch=256, rate=5e-4, warm_up=50, value_share=0.8)
"""A network that is already good learns at a lower rate."""


def add_recipe(parser: argparse.ArgumentParser, defaults: Recipe) -> None:
    """Options for what a user may want to choose of a recipe."""
    choices: Choices = {
        "minutes": (not_negative, "time instead of steps; the rate then follows the clock"),
        "batch": (count, "positions per step"),
        "rate": (positive, "peak learning rate"),
        "value_share": (not_negative, "weight of the value loss beside the policy loss"),
        "eval_share": (share, "teacher's share of value targets"),
        "average": (share, "EMA decay of the exported weights"),
        "seed": (count_or_none, "of the order of positions and their symmetries"),
    }
    parser.add_argument("--steps", type=count, help=f"optimiser steps (default {defaults.steps}, or no limit with "
                        "--minutes; with both, the run ends with what is used up first)")  # fmt: skip
    add_choices(parser, defaults, choices)


def recipe_of(options: argparse.Namespace, defaults: Recipe) -> Recipe:
    """The recipe that the options ask for; what has no option is as in `defaults`."""
    given = vars(options)
    recipe = Recipe(**{field.name: given.get(field.name, getattr(defaults, field.name)) for field in fields(Recipe)})
    if options.steps is None:
        recipe = replace(recipe, steps=0 if recipe.minutes else defaults.steps)
    return recipe
