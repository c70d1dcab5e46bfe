"""The tunables of a search: one table, the compiled struct with the same names, and checks by it."""

from __future__ import annotations

import math

import pytest

import cython_core as core
from cython_core.probes import struct_names

MEGABYTE = 1 << 20


def test_the_table_and_the_struct_have_the_same_names() -> None:
    assert struct_names() == set(core.TUNABLES) == set(core.DEFAULTS)


@pytest.mark.parametrize("name", core.TUNABLES)
def test_every_tunable_can_be_set_within_its_range_and_not_beyond(name: str) -> None:
    default, lowest, highest, meaning = core.TUNABLES[name]
    assert lowest <= default <= highest and meaning
    searcher = core.Searcher(MEGABYTE, **{name: highest})
    assert searcher.tunables == {**core.DEFAULTS, name: highest}
    searcher.tune(**{name: lowest})
    for beyond in (lowest - 1, highest + 1, math.inf):
        with pytest.raises(ValueError, match=f"{name} lies within"):
            searcher.tune(**{name: beyond})
    assert searcher.tunables[name] == lowest


def test_unknown_names_and_broken_numbers_are_named() -> None:
    with pytest.raises(ValueError, match="no such tunable: fpu"):
        core.Searcher(MEGABYTE, fpu=1)
    with pytest.raises(ValueError, match=r"rollouts is a whole number, not 1\.5"):
        core.Searcher(MEGABYTE, rollouts=1.5)
    with pytest.raises(ValueError, match=r"explore lies within 0\.\.100: nan"):
        core.Searcher(MEGABYTE, explore=math.nan)
