"""The search tree as bytes and back: what comes back is what went, and no bytes make a tree that breaks the rules."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable

import pytest
from searching import MEGABYTE, QUIET, searched
from walks import from_drawing

import cython_core as core

SIMULATIONS = 3000


def packed(searcher: core.Searcher, board: core.Board) -> tuple[int, bytes]:
    out = io.BytesIO()
    return searcher.pack(board.copy(), out.write), out.getvalue()


def unpacked(data: bytes, board: core.Board, memory: int = 16 * MEGABYTE) -> tuple[core.Searcher, int]:
    searcher = core.Searcher(memory)
    count = searcher.unpack(board.copy(), io.BytesIO(data).read)
    searcher.set_position(board)
    return searcher, count


def told(searcher: core.Searcher) -> object:
    return searcher.children(), searcher.visits, searcher.value, searcher.proof, searcher.line()


@pytest.mark.parametrize("rule", core.RULES)
def test_a_tree_comes_back_as_it_was(rule: int) -> None:
    board = from_drawing(QUIET, rule)
    before = searched(board, SIMULATIONS)
    count, data = packed(before, board)
    after, again = unpacked(data, board)
    assert again == count == after.nodes <= before.nodes
    assert told(after) == told(before)
    assert packed(after, board) == (count, data)
    reply = before.line()[0]
    board.play(reply)
    for searcher in (before, after):
        searcher.set_position(board)
    assert told(after) == told(before)
    core.Worker(after).run(200)
    assert after.visits >= before.visits + 200 or after.proof is not None


def test_a_position_that_the_tree_does_not_know_gives_nothing() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = searched(board, 10)
    assert packed(searcher, core.Board(15, 15, core.FREESTYLE)) == (0, b"")


def test_a_proven_win_comes_back_with_its_move() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4, 8):
        board.put(core.cell(x, 7), core.BLACK)
    before = searched(board, 10)
    after, _ = unpacked(packed(before, board)[1], board)
    assert (after.proof, after.proof_move) == (before.proof, before.proof_move) == (1, before.proof_move)


def test_a_tree_that_does_not_fit_is_refused_and_nothing_is_left() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    data = packed(searched(board, 20_000), board)[1]
    small = core.Searcher(1)
    with pytest.raises(ValueError, match="memory"):
        small.unpack(board.copy(), io.BytesIO(data).read)
    assert small.nodes == 0
    small.set_position(board)
    core.Worker(small).run(50)
    assert small.visits == 50


def test_a_tree_that_ends_too_early_is_refused() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    data = packed(searched(board, 300), board)[1]
    for length in (0, 10, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(ValueError, match="ends too early"):
            unpacked(data[:length], board)


@pytest.mark.parametrize("rule", [core.FREESTYLE, core.RENJU])
def test_another_position_is_refused(rule: int) -> None:
    board = from_drawing(QUIET, rule)
    data = packed(searched(board, 300), board)[1]
    other = board.copy()
    for cell, *_ in searched(board, 300).children():
        if other.legal(cell):
            other.play(cell)
    with pytest.raises(ValueError, match="another position"):
        unpacked(data, other)


def damaged(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(min(len(changed), 4000))] = chance.randrange(256)
    return bytes(changed)


def noise(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(len(data))


@pytest.mark.parametrize("spoiled", [damaged, noise])
def test_no_bytes_make_a_tree_that_breaks_the_rules(spoiled: Callable[[bytes, random.Random], bytes]) -> None:
    chance = random.Random(20)
    board = from_drawing(QUIET, core.RENJU)
    data = packed(searched(board, 300), board)[1]
    for _ in range(150):
        searcher = core.Searcher(MEGABYTE)
        try:
            searcher.unpack(board.copy(), io.BytesIO(spoiled(data, chance)).read)
        except ValueError:
            assert searcher.nodes == 0
        searcher.set_position(board)
        core.Worker(searcher).run(60)
        assert all(board.legal(cell) for cell, *_ in searcher.children())
        probe = board.copy()
        for cell in searcher.line():
            assert probe.legal(cell)
            probe.play(cell)


def test_no_byte_of_a_node_gives_it_a_move_twice() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    data = packed(searched(board, 300), board)[1]
    for at in range(48):  # more than what comes before the first edge
        for value in (0, 1, 255):
            searcher = core.Searcher(MEGABYTE)
            with contextlib.suppress(ValueError):
                searcher.unpack(board.copy(), io.BytesIO(data[:at] + bytes([value]) + data[at + 1 :]).read)
            searcher.set_position(board)
            core.Worker(searcher).run(20)
            cells = [cell for cell, *_ in searcher.children()]
            assert len(set(cells)) == len(cells), (at, value)
