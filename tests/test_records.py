"""When people hear of a search that goes on."""

from __future__ import annotations

import pytest

import cython_core as core
from brain import records
from brain.clock import Limits
from brain.records import Analysis, Request
from brain.thinker import Thinker


def asked(nodes: int = 0, update_s: float = 0.0) -> Request:
    board = core.Board(15, 15, core.FREESTYLE)
    board.play(core.cell(7, 7))
    board.play(core.cell(8, 6))
    return Request(board, Limits(0.0, 1e9, 1e9, max_nodes=nodes), update_s=update_s)


def heard_at(request: Request, times: int) -> list[float]:
    found = [request.next_update(0.0)]
    while len(found) < times:
        found.append(request.next_update(found[-1]))
    return found


def test_people_hear_of_a_long_search_every_eight_seconds() -> None:
    assert heard_at(asked(), 7) == [1, 2, 4, 8, 16, 24, 32]


def test_a_rhythm_that_was_asked_for_is_kept_from_the_beginning() -> None:
    assert heard_at(asked(update_s=0.5), 4) == [0.5, 1, 1.5, 2]


def test_a_search_is_never_silent_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "FIRST_UPDATE_S", 0.001)
    monkeypatch.setattr(records, "LONGEST_SILENCE_S", 0.002)
    seen: list[Analysis] = []
    Thinker().analyse(asked(nodes=6000), on_update=seen.append)
    assert len(seen) > 16  # doubled silences: as many take a minute
