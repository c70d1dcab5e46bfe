"""renga.Board and notation: against the slow rules of bench.reference, and what wrong input is told."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import pytest
from renga_boards import random_board, reference_position

import renga
from bench import reference
from renga.notation import read_code, read_size

SIZES = ((15, 15), (20, 15), (5, 5), (7, 32), (32, 6))


@pytest.mark.parametrize("rule", renga.RULES)
def test_legal_and_forbidden_moves_and_winners_are_those_of_the_reference(rule: str) -> None:
    chance = random.Random(rule)
    wins = fouls = 0
    for _ in range(12):
        board = random_board(chance, rule, (9, 8), chance.randint(0, 40))
        plain = reference_position(board)
        cells = [(x, y) for y in range(board.height) for x in range(board.width)]
        forbidden = [cell for cell in cells if plain.is_empty(cell) and reference.is_foul(plain, cell)]
        assert [tuple(move) for move in board.forbidden] == forbidden
        fouls += len(forbidden)
        newest = board.moves[-1] if board.moves else None
        won = False
        if newest is not None:
            colour = plain.stones[tuple(newest)]
            before = {cell: stone for cell, stone in plain.stones.items() if cell != tuple(newest)}
            position = reference.Position(plain.width, plain.height, plain.rule, before)
            won = reference.makes_five(position, tuple(newest), colour)
        assert (board.winner is not None) == won
        wins += won
        legal = [] if won else [cell for cell in cells if reference.is_legal(plain, cell, plain.side)]
        assert [tuple(move) for move in board.legal_moves] == legal
        assert board.is_over == (won or not legal)
    assert wins or rule in ("standard", "caro", "renju")
    assert fouls or rule != "renju"


@pytest.mark.parametrize("rule", renga.RULES)
def test_the_winning_line_holds_the_newest_stone_and_wins(rule: str) -> None:
    chance = random.Random(f"line {rule}")
    seen = 0
    while seen < 5:
        board = random_board(chance, rule, (9, 9), 60)
        if board.winner is None:
            assert board.winning_line == ()
            continue
        seen += 1
        row = board.winning_line
        assert board.moves[-1] in row
        assert len(row) == 5 or (len(row) > 5 and (rule in ("freestyle", "caro-overline") or board.winner == "white"))
        assert {board.stone(move) for move in row} == {board.winner}
        steps = {(after.x - before.x, after.y - before.y) for before, after in itertools.pairwise(row)}
        assert len(steps) == 1


def test_a_caro_five_between_two_foreign_stones_is_no_winning_line() -> None:
    board = renga.Board.from_stones(["b1", "c1", "d1", "e1", "f1"], ["a1", "g1"], rule="caro")
    assert board.winner is None and board.winning_line == ()
    free = renga.Board.from_stones(["a1", "b1", "c1", "d1", "e1"], ["f1"], rule="caro")
    assert free.winner == "black" and [str(move) for move in free.winning_line] == ["a1", "b1", "c1", "d1", "e1"]


def test_columns_are_letters_from_the_left_and_rows_numbers_from_the_bottom() -> None:
    board = renga.Board(20, 15)
    assert tuple(board.move("a1")) == (0, 14) and tuple(board.move("T15")) == (19, 0)
    assert str(board.move((8, 6))) == "i9"
    wide = renga.Board(32, 32)
    assert [str(wide.move((x, 0))) for x in (25, 26, 31)] == ["z32", "aa32", "af32"]
    assert all(wide.move(str(wide.move((x, y)))) == wide.move((x, y)) for x in range(32) for y in range(32))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rule", renga.RULES)
def test_codes_copies_and_pickles_are_the_same_position(rule: str, size: tuple[int, int]) -> None:
    chance = random.Random(f"{rule}{size}")
    for plies in (0, 1, 12):
        board = random_board(chance, rule, size, plies)
        twin = renga.Board.from_code(board.code, size=size, rule=rule)
        unpickled = pickle.loads(pickle.dumps(board))  # noqa: S301  our own
        twins = (twin, board.copy(), unpickled, copy.deepcopy(board))
        for other in twins:
            assert other == board and other.moves == board.moves and other.winner == board.winner
            assert (other.width, other.height, other.rule, other.turn) == (*size, rule, board.turn)
        twins[1].play(twins[1].legal_moves[0])
        assert twins[1] != board


def test_undo_takes_back_what_play_did() -> None:
    board = renga.Board(9, rule="renju")
    chance = random.Random(3)
    positions = []
    for _ in range(30):
        if board.is_over:
            break
        positions.append((board.copy(), board.legal_moves))
        board.play(chance.choice(board.legal_moves))
    for before, legal in reversed(positions):
        newest = board.moves[-1]
        assert board.undo() == newest
        assert board == before and board.legal_moves == legal
    with pytest.raises(ValueError, match="no move to take back"):
        board.undo()


def test_stones_in_any_order_are_a_position_with_either_side_to_move() -> None:
    board = renga.Board.from_stones(black=["h8", (7, 6)], white=["i9"], turn="black")
    assert board.turn == "black" and board.stone("h9") == "black" and board.stone("a1") is None
    again = renga.Board.from_code(board.code)
    assert again == board and again.code == board.code == "h8i9h9--"
    lonely = renga.Board.from_stones(white=["a1", "a2"])
    assert lonely.turn == "black" and renga.Board.from_code(lonely.code) == lonely
    won = renga.Board.from_stones(black=["a1", "b1", "c1", "d1", "e1"], white=["a9"])
    assert won.winner == "black" and renga.Board.from_code(won.code).winner == "black"


def test_four_quarter_turns_and_two_mirrorings_change_nothing() -> None:
    board = renga.Board.from_code("a1b3c2t15", size=(20, 15), rule="standard")
    assert board.mirrored().mirrored() == board
    assert board.mirrored().code == "t1s3r2a15"
    turned = board.rotated()
    assert (turned.width, turned.height) == (15, 20)
    assert turned.code == "a20c19b18o1"
    assert turned.rotated().rotated().rotated() == board


def test_a_drawing_shows_rows_from_the_bottom_and_the_newest_stone() -> None:
    assert str(renga.Board.from_code("a1e5c3", size=5)).splitlines() == [
        " 5  . . . . O",
        " 4  . . . . .",
        " 3  . .(X). .",
        " 2  . . . . .",
        " 1  X . . . .",
        "    a b c d e",
    ]


def test_a_representation_makes_the_board_again() -> None:
    for board in (renga.Board.from_code("h8h9", rule="caro"), renga.Board(20, 15)):
        assert eval(repr(board), {"Board": renga.Board}) == board  # noqa: S307  our own


@pytest.mark.parametrize(
    ("move", "complaint"),
    [
        ("h8", "h8 is occupied"), ("p1", "p1 is off the 15x15 board"), ("a0", "'a0' is no cell"), ("a16", "a16 is off"),
        ("", "no cell"), ("8h", "no cell"), ("h8h9", "no cell"), ((15, 0), "15,0 is off"), ((-1, 3), "-1,3 is off"),
        ((1.0, 2), "whole numbers"), ((1, 2, 3), "no cell"), (7, "no cell"), (None, "no cell"), ((True, 1), "whole"),
    ],
)  # fmt: skip
def test_a_wrong_move_is_told_what_is_wrong(move: object, complaint: str) -> None:
    board = renga.Board.from_code("h8")
    with pytest.raises(ValueError, match=complaint):
        board.play(move)  # type: ignore[arg-type]
    assert board == renga.Board.from_code("h8")


def test_fouls_and_moves_after_the_end_are_refused() -> None:
    board = renga.Board.from_stones(["g8", "i8", "h7", "h9"], ["a1", "a2", "a3", "a4"], rule="renju")
    with pytest.raises(ValueError, match="h8 is forbidden to black"):
        board.play("h8")
    won = renga.Board.from_stones(["a1", "b1", "c1", "d1"], ["a2", "b2", "c2", "d2"])
    won.play("e1")
    with pytest.raises(ValueError, match="black has won"):
        won.play("e2")
    assert won.legal_moves == []


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: renga.Board(4), "no 4x4 board: 5 to 32"),
        (lambda: renga.Board(15, 33), "no 15x33 board"),
        (lambda: renga.Board(15, rule="chess"), "no rule 'chess': there are freestyle, standard"),
        (lambda: renga.Board.from_code("h8x99"), "character 3: x99 is off the 15x15 board"),
        (lambda: renga.Board.from_code("h8?"), "no cell at character 3"),
        (lambda: renga.Board.from_code("h8i9h8"), "move 3: h8 is occupied"),
        (lambda: renga.Board.from_stones(["h8"], ["h8"]), "white stone 1: h8 is occupied"),
        (lambda: renga.Board.from_stones(["h8", "q1"]), "black stone 2: q1 is off the 15x15 board"),
        (lambda: renga.Board.from_stones(["h8"], turn="red"), "no colour 'red'"),
        (lambda: renga.Board.from_code("", size="15x"), "no board size '15x'"),
        (lambda: renga.Board.from_code("", size=(15, 15, 15)), "no board size"),  # type: ignore[arg-type]
        (lambda: renga.Board.from_code(5), "5 is no position code"),  # type: ignore[arg-type]
        (lambda: renga.Board.from_code("", size=None), "no board size None"),  # type: ignore[arg-type]
        (lambda: renga.Board(15.0), "no board size"),  # type: ignore[arg-type]
    ],
)
def test_wrong_sizes_rules_and_codes_are_value_errors(make: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()  # type: ignore[operator]


def test_sizes_are_written_in_several_ways() -> None:
    assert [read_size(size) for size in (15, "15", (20, 15), "20x15", " 20X15 ")] == [(15, 15)] * 2 + [(20, 15)] * 3


def test_blanks_and_capitals_in_a_code_do_no_harm() -> None:
    assert read_code(" H8 h7\ti9 ", 15, 15) == read_code("h8h7i9", 15, 15)
    assert read_code("   ", 15, 15) == []
