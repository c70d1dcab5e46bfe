"""renga.threats against definitions on the slow rules, and renga.solve against the checker of claimed wins."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from renga_boards import random_board, reference_position

import renga
from bench import reference
from bench.puzzles import read_puzzles
from bench.reference import DIRECTIONS, Cell, Position
from renga.verify import verify

Found = set[tuple[str, int, frozenset[Cell], frozenset[Cell]]]


def five_along(position: Position, cell: Cell, colour: int, direction: Cell) -> bool:
    return reference._is_five_along(position, cell, colour, direction)


def row_with(position: Position, cell: Cell, colour: int, direction: Cell) -> frozenset[Cell]:
    """The stones in a row with one on the empty cell, itself not counted."""
    row = set()
    for sense in (-1, 1):
        x, y = cell[0] + sense * direction[0], cell[1] + sense * direction[1]
        while position.stone((x, y)) == colour and position.on_board((x, y)):
            row.add((x, y))
            x, y = x + sense * direction[0], y + sense * direction[1]
    return frozenset(row)


def fives_on_line(position: Position, cell: Cell, colour: int, direction: Cell) -> list[Cell]:
    """Empty cells near a cell, along a direction, where a stone makes a five in that direction."""
    line = [(cell[0] + i * direction[0], cell[1] + i * direction[1]) for i in range(-6, 7)]
    return [near for near in line if position.is_empty(near) and five_along(position, near, colour, direction)]


def makes_straight_four(position: Position, cell: Cell, colour: int, direction: Cell) -> bool:
    """Four stones in a row, a five at either end, and no single reply on the line that takes both away."""
    row = row_with(position, cell, colour, direction)
    if five_along(position, cell, colour, direction) or len(row) != 3:
        return False
    after = position.with_stone(cell, colour)
    fives = fives_on_line(after, cell, colour, direction)
    stones = sorted([*row, cell])
    before = stones[0][0] - direction[0], stones[0][1] - direction[1]
    beyond = stones[-1][0] + direction[0], stones[-1][1] + direction[1]
    if before not in fives or beyond not in fives:
        return False
    line = [(cell[0] + i * direction[0], cell[1] + i * direction[1]) for i in range(-6, 7)]
    return all(
        fives_on_line(after.with_stone(reply, 1 - colour), cell, colour, direction)
        for reply in line
        if after.is_empty(reply)
    )


def expected(position: Position) -> Found:
    """Fours and open threes by their definitions."""
    cells: dict[tuple[str, int, frozenset[Cell]], set[Cell]] = {}
    for colour in (reference.BLACK, reference.WHITE):
        for cell in position.empty_cells():
            for direction in DIRECTIONS:
                row = row_with(position, cell, colour, direction)
                if five_along(position, cell, colour, direction):
                    cells.setdefault(("four", colour, row), set()).add(cell)
                elif makes_straight_four(position, cell, colour, direction) and reference.is_legal(
                    position, cell, colour
                ):
                    cells.setdefault(("three", colour, row), set()).add(cell)
    return {(kind, colour, row, frozenset(ends)) for (kind, colour, row), ends in cells.items()}


def found_on(board: renga.Board) -> Found:
    return {
        (
            threat.kind, ("black", "white").index(threat.colour), frozenset(tuple(move) for move in threat.stones),
            frozenset(tuple(move) for move in threat.cells),
        )
        for threat in renga.threats(board)
        if threat.kind != "five"
    }  # type: ignore[misc]  # fmt: skip


@pytest.mark.parametrize("rule", renga.RULES)
def test_threats_are_those_of_the_definitions(rule: str) -> None:
    chance = random.Random(f"threats {rule}")
    kinds = {"four": 0, "three": 0}
    for _ in range(60):
        board = random_board(chance, rule, (9, 8), chance.randint(4, 26))
        found = found_on(board)
        assert found == expected(reference_position(board)), f"\n{board}"
        for kind, *_ in found:
            kinds[kind] += 1
    assert min(kinds.values()) >= 5, kinds


def test_threats_come_in_order_with_their_cells() -> None:
    board = renga.Board.from_stones(
        black=["c3", "d3", "e3", "f3", "c9", "c10", "c11"], white=["g3", "k5", "l6", "m7"], size=15
    )
    found = renga.threats(board)
    told = [(t.kind, t.colour, [str(m) for m in t.stones], sorted(str(m) for m in t.cells)) for t in found]
    assert told == [
        ("four", "black", ["c3", "d3", "e3", "f3"], ["b3"]),
        ("three", "black", ["c11", "c10", "c9"], ["c12", "c8"]),
        ("three", "white", ["k5", "l6", "m7"], ["j4", "n8"]),
    ]


def test_a_finished_five_is_the_first_threat() -> None:
    board = renga.Board.from_stones(black=["a1", "b1", "c1", "d1", "e1"])
    first = renga.threats(board)[0]
    assert (first.kind, first.stones, first.cells) == ("five", board.winning_line, ())


def test_a_three_that_black_may_not_extend_is_none_in_renju() -> None:
    # d8 and h8 would each make a second four, downwards.
    black = ["e8", "f8", "g8", "d5", "d6", "d7", "h5", "h6", "h7"]
    for rule, counts in (("freestyle", True), ("renju", False)):
        board = renga.Board.from_stones(black, rule=rule)
        rows = [{str(move) for move in threat.stones} for threat in renga.threats(board) if threat.kind == "three"]
        assert ({"e8", "f8", "g8"} in rows) == counts
        assert {"d5", "d6", "d7"} in rows  # d4 is free


# solve


def cells_of(moves: tuple[renga.Move, ...]) -> list[Cell]:
    return [(move.x, move.y) for move in moves]


def plain(proof: renga.Proof) -> reference.Proof:
    replies = {(move.x, move.y): plain(child) for move, child in proof.replies.items()}
    return reference.Proof((proof.move.x, proof.move.y), replies, cells_of(proof.threat))


WON = (
    # four and three at once
    "h8h9i8g8j9j8i10k8",
    "h8i8g8f8h9i9h7i7",
)


@pytest.mark.parametrize("method", ["vcf", "vct"])
def test_a_solution_is_a_line_to_the_five_that_the_checker_accepts(method: str) -> None:
    solved = 0
    chance = random.Random(5)
    boards = [renga.Board.from_code(code) for code in WON]
    boards += [random_board(chance, rule, (11, 11), 14) for rule in renga.RULES for _ in range(12)]
    for board in boards:
        if board.is_over:
            continue
        solution = renga.solve(board, method, nodes=3000)
        assert solution.win == bool(solution.line) and solution.plies >= len(solution.line)
        if not solution.win:
            assert solution.proof is None
            continue
        solved += 1
        side = ("black", "white").index(board.turn)
        if method == "vcf":
            assert reference.verify_vcf(reference_position(board), side, cells_of(solution.line))
        assert solution.proof is not None
        assert reference.verify_vct(reference_position(board), side, plain(solution.proof))
        after = board.copy()
        for move in solution.line:
            after.play(move)
        assert after.winner == board.turn
    assert solved >= 10


def test_no_win_is_told_apart_from_not_enough_nodes() -> None:
    quiet = renga.solve(renga.Board.from_code("h8i9"), "vcf")
    assert (quiet.win, quiet.exhausted, quiet.line, quiet.plies) == (False, True, (), 0)
    crowded = renga.Board.from_code("h8a1h10a3i9a5j8a7g6a9f9o1j6o3")
    assert not renga.solve(crowded, "vct", nodes=1).exhausted


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda: renga.solve(renga.Board(), "magic"), "no method 'magic': there are vcf, vct, search"),
        (lambda: renga.solve(renga.Board(), "search", seconds=0), "0 seconds"),
        (lambda: renga.solve("h8"), "'h8' is no board"),
        (lambda: renga.threats("h8"), "'h8' is no board"),
        (lambda: renga.solve(renga.Board(), nodes=0), "0 nodes"),
        (lambda: renga.solve(renga.Board.from_code("a1a5b1b5c1c5d1d5e1")), "the game is over"),
    ],
)
def test_wrong_questions_to_the_solver_are_value_errors(ask: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ask()  # type: ignore[operator]


def test_a_search_by_quiet_moves_too_has_a_certificate() -> None:
    found = renga.solve(renga.Board.from_code(WON[-1]), "search", seconds=30)
    assert found.win and found.certificate is not None
    assert found.plies == verify(found.certificate.text.encode()).plies


@pytest.mark.data
def test_puzzles_are_solved_to_the_five() -> None:
    data = os.environ.get("RENGA_DATA")
    if not data:
        pytest.skip("RENGA_DATA names no folder with puzzles")
    for puzzle in read_puzzles(Path(data) / "puzzles" / "vcf_freestyle15.tsv").puzzles[:30]:
        board = renga.Board.from_stones(puzzle.black, puzzle.white, turn=("black", "white")[puzzle.side])
        for move in renga.solve(board, "vcf").line:
            board.play(move)
        assert board.winner == ("black", "white")[puzzle.side]
