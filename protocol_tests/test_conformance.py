"""The conformance checks under pytest, against `python -m brain` or the command in RENGA_BRAIN."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from protocol_tests.registry import ITEMS, Check, Run, all_checks, split_command

CHECKS = all_checks()
COMMAND = split_command(os.environ.get("RENGA_BRAIN") or f"{sys.executable} -m brain --strict")


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[None]]]:
    """The selected checks, several at a time: they mostly wait, and the slack of ten covers the crowd."""
    run = Run(COMMAND, slack=10)
    chosen = [item.callspec.params["each"] for item in request.session.items if item.name.startswith("test_conforms[")]
    with ThreadPoolExecutor(4) as pool:
        yield {each.name: pool.submit(each.play, run) for each in chosen}


def test_every_conformance_item_is_covered() -> None:
    covered = {item for each in CHECKS for item in each.items}
    assert covered == set(ITEMS)


@pytest.mark.parametrize("each", CHECKS, ids=lambda each: each.name)
def test_conforms(each: Check, outcomes: dict[str, Future[None]]) -> None:
    outcomes[each.name].result()


@pytest.mark.full
@pytest.mark.parametrize("each", CHECKS, ids=lambda each: each.name)
def test_conforms_to_the_literal_limits(each: Check) -> None:
    each.play(Run(COMMAND, full=True))
