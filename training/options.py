"""Types of the options on the command line: a value out of range is refused by argparse, before anything is begun."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from typing import Any

from bench.notation import read_rule, read_size
from training.blocks import KINDS


def whole(least: int, step: int = 1) -> Callable[[str], int]:
    """Whole numbers from `least` up, multiples of `step`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or number % step:
            kind = "a whole number" if step == 1 else f"a multiple of {step}"
            raise argparse.ArgumentTypeError(f"{text!r} is not {kind} of at least {least}")
        return number

    return read


def real(fits: Callable[[float], bool], description: str) -> Callable[[str], float]:
    """Finite numbers that fit."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and fits(number)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {description}")
        return number

    return read


count = whole(1)
count_or_none = whole(0)
paired_games = whole(2, step=2)
"""A match is played in pairs with colours changed."""
paired_games_or_none = whole(0, step=2)
positive = real(lambda number: number > 0, "a number above 0")
not_negative = real(lambda number: number >= 0, "a number of at least 0")
share = real(lambda number: 0 <= number <= 1, "a share from 0 to 1")
share_below_one = real(lambda number: 0 <= number < 1, "a share from 0 to below 1")


def rule_numbers(text: str) -> tuple[int, ...]:
    """`freestyle,renju` -> (0, 4)."""
    try:
        return tuple(read_rule(name) for name in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


MOST_SHARES = 100


def rule_shares(text: str) -> tuple[int, ...]:
    """`caro=3,freestyle=2` -> each rule as often as its share, in turn."""
    pairs = [item.partition("=") for item in text.split(",")]
    rules = rule_numbers(",".join(name for name, _, _ in pairs))
    if len(set(rules)) < len(rules):
        raise argparse.ArgumentTypeError(f"a rule comes twice in {text!r}")
    counts = [whole(1)(number) if equals else 1 for _, equals, number in pairs]
    if sum(counts) > MOST_SHARES:
        raise argparse.ArgumentTypeError(f"the shares in {text!r} add up to more than {MOST_SHARES}")
    return tuple(rule for rule, number in zip(rules, counts, strict=True) for _ in range(number))


def size_numbers(text: str) -> tuple[int, ...]:
    """`15,20` -> (15, 20); squares only."""
    try:
        return tuple(read_size(str(int(size)))[0] for size in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def block_names(text: str) -> str:
    """The blocks of a trunk, `sep,pool,sep`, as they are."""
    unknown = [name for name in text.split(",") if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown block {unknown[0]!r}; known: {', '.join(KINDS)}")
    return text


def elo(text: str) -> float:
    """A difference of strength that a match could show."""
    return real(lambda number: abs(number) <= 1000, "a difference of at most 1000 Elo")(text)


def source_weight(text: str) -> tuple[str, float]:
    """`teacher=2` -> ("teacher", 2.0)."""
    start, equals, copies = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not START=COPIES")
    return start, not_negative(copies)


Choices = Mapping[str, tuple[Callable[[str], Any], str]]
"""Name of a field -> the type of its option, and what it is."""


def add_choices(parser: argparse.ArgumentParser, defaults: object, choices: Choices) -> None:
    """An option for each of these fields of a record of `defaults`."""
    for name, (read, text) in choices.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=read, default=getattr(defaults, name),
                            help=f"{text} (default %(default)s)")  # fmt: skip
