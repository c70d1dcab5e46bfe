"""The list of everything that is checked: transcripts, coded checks and managers, by conformance item."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protocol_tests.process import Brain

ITEMS = range(1, 104)
"""The numbered conformance items."""


@dataclass(frozen=True)
class Run:
    """What a check is given: the brain's command line and how patient to be."""

    command: tuple[str, ...]
    slack: float = 1.0
    full: bool = False
    """Literal limits and large counts instead of the scaled ones."""

    def brain(self, *arguments: str, **options: Any) -> Brain:
        return Brain((*self.command, *arguments), self.slack, **options)


@dataclass(frozen=True)
class Check:
    """A named check and the items it covers."""

    name: str
    items: tuple[int, ...]
    play: Callable[[Run], None]


CODED: list[Check] = []


def check(*items: int) -> Callable[[Callable[[Run], None]], Callable[[Run], None]]:
    """Registers a coded check under its items."""

    def register(function: Callable[[Run], None]) -> Callable[[Run], None]:
        CODED.append(Check(function.__name__, items, function))
        return function

    return register


def all_checks() -> list[Check]:
    """Everything, in the order of the items."""
    from protocol_tests import (  # noqa: F401 - registers
        check_framing,
        check_life,
        check_managers,
        check_positions,
        check_rules,
        check_timing,
    )
    from protocol_tests import transcript as transcripts

    def played(script: transcripts.Transcript) -> Callable[[Run], None]:
        def play(run: Run) -> None:
            with run.brain() as brain:
                transcripts.play(script, brain)

        return play

    found = [Check(script.path.stem, script.items, played(script)) for script in transcripts.read_all()]
    return sorted(found + CODED, key=lambda each: each.items)


def split_command(text: str) -> tuple[str, ...]:
    """`--brain` as a command line: a path that exists is taken whole, blanks and all.

    Checks start brains in other directories, so a program given by a relative path is made absolute.
    """
    first, *rest = (text,) if Path(text).exists() else shlex.split(text)
    return (str(Path(first).absolute()) if Path(first).exists() else first, *rest)


def named(checks: Sequence[Check], wanted: Sequence[str]) -> list[Check]:
    """The checks whose name contains, or whose items are, one of the words; all without words."""
    return [
        each
        for each in checks
        if not wanted or any(word in each.name or word in map(str, each.items) for word in wanted)
    ]
