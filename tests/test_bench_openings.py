"""bench.make_openings: a run that is killed goes on where it was."""

from __future__ import annotations

from pathlib import Path

import pytest

import cython_core as core
from bench import make_openings
from bench.make_openings import make
from bench.notation import read_size
from bench.openings import Opening, read_openings
from brain.core_evaluator import CoreEvaluator

WANTED = [(core.FREESTYLE, 15, 3), (core.FREESTYLE, 20, 2), (core.RENJU, 15, 2)]


class Killed(BaseException):
    """The end of the process."""


class NoNetwork(CoreEvaluator):
    def __init__(self) -> None:
        pass

    def use_rule(self, rule: int) -> None:
        pass


def test_openings_go_on_after_a_kill_at_any_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Opening] = []
    last = 0

    def is_even(opening: Opening, rule: int, evaluator: CoreEvaluator) -> bool:
        tried.append(opening)
        if len(tried) == last:
            raise Killed
        return sum(x + y for x, y in opening.cells) % 3 == 0

    monkeypatch.setattr(make_openings, "is_even", is_even)
    whole = make(tmp_path / "whole.txt", WANTED, NoNetwork())
    assert read_openings(tmp_path / "whole.txt") == whole
    assert [(opening.source, opening.width) for opening in whole] == (
        3 * [("freestyle", 15)] + 2 * [("freestyle", 20)] + 2 * [("renju", 15)]
    )
    candidates = len(tried)
    assert candidates > len(whole)
    path = tmp_path / "pieces.txt"
    for last in range(1, candidates + 1):
        tried.clear()
        path.unlink(missing_ok=True)
        with pytest.raises(Killed):
            make(path, WANTED, NoNetwork())
        kept = len(read_openings(path)) if path.exists() else 0
        tried.clear()
        last = 0
        assert make(path, WANTED, NoNetwork()) == whole == read_openings(path)
        assert not {opening.cells for opening in tried} & {opening.cells for opening in whole[:kept]}
    tried.clear()
    assert make(path, WANTED, NoNetwork()) == whole and not tried


def test_openings_of_another_seed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("freestyle 15x15 a1 o15\n")
    monkeypatch.setattr(make_openings, "MOST_TRIED", 50)
    with pytest.raises(ValueError, match=r"openings\.txt: begun with another seed"):
        make(path, WANTED, NoNetwork())


def test_an_even_opening_is_found_by_the_network_in_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_openings, "STAGES", ((20, 0.4),))
    evaluator = CoreEvaluator.load(core.FREESTYLE)
    (opening,) = make(tmp_path / "one.txt", [(core.FREESTYLE, 15, 1)], evaluator)
    assert read_openings(tmp_path / "one.txt") == [opening]


@pytest.mark.parametrize("text", ["15x", "x15", "15x15x", "4", "20x33", ""])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        read_size(text)
    assert (read_size("15"), read_size("20x15")) == ((15, 15), (20, 15))
