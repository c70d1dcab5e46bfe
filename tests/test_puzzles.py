"""Puzzle files: how much the solvers solve within a node limit; a claimed win is always replayed.

The default tier takes a sample of each file, `full` all of it.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from bench.puzzles import PuzzleFile, read_puzzles
from bench.tactics import solve

ROOT = Path(__file__).parent.parent
DATA = ROOT / os.environ.get("RENGA_DATA", "data") / "puzzles"

# The file says that these have no VCF; they have one of 30 fours and more, which the reference replays.
KNOWN_REFUTED = {"lfz02056", "lfz05936", "lfz05939", "lfz06129", "lfz06133", "lfz06152"}

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.is_dir(), reason="no puzzle files: set RENGA_DATA to the data directory"),
]


def verdicts(name: str, every: int, nodes: int) -> dict[str, str]:
    """Verdict per puzzle, for one puzzle of `every`, under freestyle."""
    file: PuzzleFile = read_puzzles(DATA / name)
    return {p.name: solve(file.kind, p, 0, nodes, 0).verdict for p in file.puzzles[::every]}


def check_vcf(every: int) -> None:
    count = Counter(verdicts("vcf_freestyle15.tsv", every, 100_000).values())
    assert count["wrong"] == 0
    assert count["solved"] >= 0.99 * count.total()


def check_no_vcf(every: int) -> None:
    found = verdicts("no_vcf_freestyle15.tsv", every, 100_000)
    assert "wrong" not in found.values()
    assert {name for name, verdict in found.items() if verdict == "refuted"} <= KNOWN_REFUTED


def check_vct(every: int, nodes: int, rate: float) -> None:
    count = Counter(verdicts("vct_black15.tsv", every, nodes).values())
    assert count["wrong"] == 0
    assert count["solved"] >= rate * count.total()


def test_a_sample_of_the_vcf_puzzles_is_solved() -> None:
    check_vcf(every=20)


def test_a_sample_of_the_positions_without_vcf_yields_none() -> None:
    check_no_vcf(every=20)


def test_a_sample_of_the_vct_puzzles_is_solved() -> None:
    check_vct(every=40, nodes=20_000, rate=0.65)


@pytest.mark.full
def test_all_vcf_puzzles() -> None:
    check_vcf(every=1)


@pytest.mark.full
def test_all_positions_without_vcf() -> None:
    check_no_vcf(every=1)


@pytest.mark.full
def test_all_vct_puzzles() -> None:
    check_vct(every=1, nodes=200_000, rate=0.95)
