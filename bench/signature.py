"""`python -m bench signature`: a fingerprint of the core's behaviour on fixed positions.

Only integers, no network, one thread, fixed node counts, so that it is the same on every machine and
changes only when behaviour does. The stored copy is compared by a test; `--write` is the conscious edit.
`--network` asks the same of a search with the shipped network, within tolerances.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import cython_core as core
from bench import network_signature
from bench.positions import read_positions
from cython_core.probes import mean_result

STORED = Path(__file__).parent / "signature.txt"
SEARCH_BYTES = 8 << 20
SIMULATIONS = 400
_MASK = (1 << 32) - 1


def fold(numbers: Iterator[int]) -> int:
    """A 32-bit number that depends on every input and on their order."""
    total = 2166136261
    for number in numbers:
        for shift in range(0, 64, 16):
            total = ((total ^ (number >> shift & 0xFFFF)) * 16777619) & _MASK
    return total


def board_numbers(board: core.Board) -> Iterator[int]:
    """Key, and the class and fouls of every empty cell."""
    yield board.key
    for cell in board.all_cells():
        if board.stone(cell) == core.EMPTY:
            yield from (board.class_of(cell, core.BLACK), board.class_of(cell, core.WHITE))
            yield int(board.is_foul(cell))


def rollout_numbers(board: core.Board) -> Iterator[int]:
    """Half points of 200 seeded rollouts."""
    yield round(400 * mean_result(board, 200, 2026, 100))


def vcf_numbers(board: core.Board) -> Iterator[int]:
    """For either side: what was found, in how many nodes, and the line."""
    for side in (core.BLACK, core.WHITE):
        found = core.solve_vcf(board, side, 20_000)
        yield from (("none", "win", "unknown").index(found.status), found.nodes, *found.line)


def vct_numbers(board: core.Board) -> Iterator[int]:
    """The same for fours and threes together."""
    for side in (core.BLACK, core.WHITE):
        found = core.solve_vct(board, side, 10_000)
        yield from (("none", "win", "unknown").index(found.status), found.nodes, *found.line)


def search_numbers(board: core.Board) -> Iterator[int]:
    """Visits of the root's moves after a few hundred simulations, without hash of earlier ones."""
    searcher = core.Searcher(SEARCH_BYTES, seed=2026)
    searcher.set_position(board)
    core.Worker(searcher).run(SIMULATIONS)
    yield searcher.visits
    for cell, visits, *_ in searcher.children():
        yield from (cell, visits)


PARTS: dict[str, Callable[[core.Board], Iterator[int]]] = {
    "board": board_numbers,
    "vcf": vcf_numbers,
    "vct": vct_numbers,
    "rollouts": rollout_numbers,
    "search": search_numbers,
}


def compute() -> dict[str, int]:
    boards = [board for board in read_positions() if board.winner == core.EMPTY]
    parts = {
        name: fold(number for board in boards for number in numbers(board)) for name, numbers in PARTS.items()
    }
    return {**parts, "bench": fold(iter(parts.values()))}


def read_stored() -> dict[str, int]:
    words = (line.split() for line in STORED.read_text().splitlines())
    return {name: int(number) for name, number in words}


def write_stored(parts: dict[str, int]) -> None:
    STORED.write_text("".join(f"{name} {number}\n" for name, number in parts.items()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write", action="store_true", help="store the present behaviour as the expected one"
    )
    parser.add_argument("--network", action="store_true", help="of policy, value and search with the shipped network")


def main(options: argparse.Namespace) -> int:
    return compare_network(options.write) if options.network else compare_core(options.write)


def compare_network(write: bool) -> int:
    found = network_signature.compute()
    stored = network_signature.read_stored() if network_signature.STORED.exists() else {}
    for line in (changes := network_signature.differences(found, stored)):
        print(line)
    print(f"{len(found)} positions, {len(changes)} differences")
    if write:
        network_signature.write_stored(found)
    elif changes:
        print(f"differs from {network_signature.STORED.name}; if that was meant, run with --write", file=sys.stderr)
        return 1
    return 0


def compare_core(write: bool) -> int:
    parts = compute()
    stored = read_stored() if STORED.exists() else {}
    for name, number in parts.items():
        print(f"{name:10} {number:>10}" + ("" if stored.get(name) == number else "  changed"))
    if write:
        write_stored(parts)
    elif parts != stored:
        print("differs from signature.txt; if that was meant, run with --write", file=sys.stderr)
        return 1
    return 0
