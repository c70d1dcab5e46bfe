"""Whole games under each of the emulated managers."""

from __future__ import annotations

from protocol_tests.managers import Limits, cgomokucli, judge, piskvork
from protocol_tests.registry import Run, check


@check(3, 20, 23, 65, 66)
def piskvork_plays_games(run: Run) -> None:
    limits = Limits(1000, 60_000) if run.full else Limits(40, 6000)
    piskvork.play(run, 15, 0, limits)
    if run.full:
        for size, rule in ((20, 0), (15, 1), (15, 4), (15, 8), (15, 9)):
            piskvork.play(run, size, rule, limits)


@check(9, 50, 79, 80)
def judge_plays_games(run: Run) -> None:
    limits = Limits(5000, 120_000) if run.full else Limits(50, 6000)
    for size, rule, opening in (
        (20, 0, ()),
        (15, 4, ((7, 7), (8, 6), (10, 6), (9, 7), (6, 6))),
        (15, 9, ((3, 3), (4, 4), (6, 6))),
    ):
        judge.play(run, size, rule, limits, opening)


@check(7, 11, 16, 82)
def c_gomoku_cli_plays_games(run: Run) -> None:
    cgomokucli.play(run, 15, 1, Limits(5000, 600_000), games=2, soft_ms=500 if run.full else 40)
