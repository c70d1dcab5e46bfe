"""Game trees and their files: round trips, real-world shapes of .psq and SGF, and damaged or hostile ones."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import renga
from renga import sgf_text
from renga.psq import read_psq, write_psq
from renga.sgf import read_sgf, write_sgf

TEXT = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=20)
"""A carriage return is a line break to SGF."""
LINE = TEXT.map(lambda text: " ".join(text.split()))


@st.composite
def games(draw: st.DrawFn) -> renga.Game:
    chance = random.Random(draw(st.integers()))
    game = renga.Game(draw(st.integers(5, 32)), draw(st.integers(5, 32)), rule=draw(st.sampled_from(renga.RULES)))
    game.black, game.white, game.event, game.date, game.result = (draw(LINE) for _ in range(5))

    def cell() -> renga.Move:
        return game.move((chance.randrange(game.width), chance.randrange(game.height)))

    if draw(st.booleans()):
        game.root.setup = {cell(): chance.choice(["black", "white"]) for _ in range(3)}
        game.root.turn = chance.choice(["black", "white"])
    nodes = [game.root]
    for _ in range(draw(st.integers(0, 12))):
        parent = chance.choice(nodes)
        board = parent.board()
        if board.is_over:
            continue
        node = parent.play(chance.choice(board.legal_moves))
        nodes.append(node)
        node.comment = draw(TEXT)
        node.labels = {cell(): draw(TEXT.filter(bool))}
        node.marks = {cell(): chance.choice(["cross", "circle", "square", "triangle"])}
        node.ms = chance.choice([None, chance.randrange(1, 10**6)])
        if chance.random() < 0.5:
            mate = chance.choice([None, -7, 12])
            node.evaluation = renga.Evaluation(chance.random(), chance.randrange(10**6), mate, (cell(), cell()))
    return game


@settings(max_examples=80, deadline=None)
@given(games())
def test_a_game_comes_back_from_sgf_as_it_was(game: renga.Game) -> None:
    text = write_sgf(game)
    assert read_sgf(text) == game
    assert write_sgf(read_sgf(text.encode())) == text
    for node, twin in zip(game.nodes(), read_sgf(text).nodes(), strict=True):
        assert node.board() == twin.board()


@settings(max_examples=40, deadline=None)
@given(games())
def test_rotated_and_mirrored_games_have_rotated_and_mirrored_positions(game: renga.Game) -> None:
    for node, turned, mirrored in zip(game.nodes(), game.rotated().nodes(), game.mirrored().nodes(), strict=True):
        assert turned.board() == node.board().rotated()
        assert mirrored.board() == node.board().mirrored()
    assert game.rotated().rotated().rotated().rotated() == game


def test_games_that_differ_anywhere_are_not_equal() -> None:
    base = "(;GM[4]SZ[15]PB[a];B[hh](;W[ii]C[x])(;W[gg]))"
    for before, after in (
        ("PB[a]", "PB[b]"), ("SZ[15]", "SZ[16]"), ("B[hh]", "B[hi]"), ("C[x]", "C[y]"), ("W[gg]", "W[gg];B[aa]"),
        ("(;W[gg])", ""), ("(;W[ii]C[x])(;W[gg])", "(;W[gg])(;W[ii]C[x])"),
    ):  # fmt: skip
        assert before in base
        assert read_sgf(base.replace(before, after)) != read_sgf(base)
    assert read_sgf(base) == read_sgf(base.encode())


def test_a_tree_grows_by_playing_and_finds_its_moves_again() -> None:
    game = renga.Game(rule="renju")
    first = game.root.play("h8")
    main, side = first.play("i9"), first.play((6, 6))
    assert first.play("i9") is main and first.children == [main, side]
    assert game.main_line() == [first, main]
    side.promote()
    assert game.main_line() == [first, side] and side.path() == [game.root, first, side]
    main.remove()
    assert first.children == [side] and side.board().code == "h8g9"
    with pytest.raises(ValueError, match="h8 is occupied"):
        side.play("h8")
    with pytest.raises(ValueError, match="root"):
        game.root.remove()


def test_a_board_becomes_a_game_and_a_position_again() -> None:
    for board in (
        renga.Board.from_code("h8i9g7", size=(20, 15), rule="renju"),
        renga.Board.from_stones(["h8", "h9"], ["a1"], turn="black"),
        renga.Board.from_code("h8--"),
        renga.Board(),
        renga.Board.from_code("a1a5b1b5c1c5d1d5e1"),
    ):
        game = renga.Game.from_board(board)
        assert game.result == ("B+" if board.winner else "")
        assert game.root.main_line()[-1].board() == board
        assert read_sgf(write_sgf(game)).root.main_line()[-1].board() == board


# .psq


TOURNAMENT = """Piskvorky 20x15, 11:11, 1
8,8,0
9,8,1500
20,15,30000
pbrain-one.zip
pbrain-two.zip
-1
1,Renju_2
"""


def test_a_tournament_record_of_piskvork_is_read_and_written_as_it_was() -> None:
    game = read_psq(TOURNAMENT)
    assert (game.width, game.height, game.rule) == (20, 15, "renju")
    # The 1 of the header: the second player began.
    assert (game.black, game.white) == ("pbrain-two.zip", "pbrain-one.zip")
    assert [(str(node.move), node.colour, node.ms) for node in game.main_line()] == [
        ("h8", "black", None), ("i8", "white", 1500), ("t1", "black", 30000),
    ]  # fmt: skip
    assert write_psq(game) == TOURNAMENT
    assert read_psq(TOURNAMENT.replace("\n", "\r\n").encode()) == game
    assert read_sgf(write_sgf(game)) == game


def test_a_game_saved_by_hand_has_no_names() -> None:
    text = "Piskvorky 15x15, 0:3, 0\n8,8,0\n9,9,12\n0\n"
    game = read_psq(text)
    assert (game.black, game.white, game.rule) == ("", "", "freestyle")
    assert read_psq(text, rule="standard").rule == "standard"
    assert write_psq(game) == text


def test_other_programs_write_other_headers_and_leave_out_the_time() -> None:
    game = read_psq("Piskvorky 15x15 , 0 - 0\r\n8, 8\r\n9,8\r\n-1")
    assert [str(node.move) for node in game.main_line()] == ["h8", "i8"]


def test_names_in_a_windows_code_page_are_read() -> None:
    game = read_psq("Piskvorky 15x15, 1:1, 0\n8,8,0\nJosé\nŽ\n-1\n".encode("cp1250"))
    assert game.black == "José"


@settings(max_examples=60, deadline=None)
@given(games())
def test_a_main_line_comes_back_from_psq(game: renga.Game) -> None:
    if game.root.setup:
        with pytest.raises(ValueError, match="stones are set up"):
            write_psq(game)
        return
    twin = read_psq(write_psq(game))
    assert (twin.width, twin.height, twin.rule) == (game.width, game.height, game.rule)
    assert [(node.move, node.colour, node.ms) for node in twin.main_line()] == [
        (node.move, node.colour, node.ms) for node in game.main_line()
    ]
    assert write_psq(twin) == write_psq(game)


def test_a_pass_does_not_fit_into_psq() -> None:
    with pytest.raises(ValueError, match="move 2 is a pass"):
        write_psq(read_sgf("(;GM[4];B[hh];W[];B[aa])"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: no .psq file"), ("Gomoku 15x15", "line 1: no .psq file"),
        ("Piskvorky 4x4, 0:0, 0", "line 1: no 4x4"),
        ("Piskvorky 99x99, 0:0, 0", "no 99x99 board"), ("Piskvorky 15x15, 0:0, 0\n16,1,0", "line 2: 16,1 is off"),
        ("Piskvorky 15x15, 0:0, 0\n1,1,0\n0,1,0", "line 3: 0,1 is off"),
        ("Piskvorky 15x15, 0:0, 0\n1,1,0\n1,1,0", "line 3: 1,1 is occupied"),
    ],
)  # fmt: skip
def test_a_damaged_psq_says_what_and_where(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_psq(text)


# SGF


def test_an_sgf_of_another_program_is_read() -> None:
    game = read_sgf(
        "mail header\n(;FF[4]GM[4]SZ[15]AP[Other:1.0]PB[One]PW[Two]RE[B+]RU[RIF Renju]KM[0]\n"
        "AB[hh][aa:bb]AW[ii]PL[W]C[start];W[gg]MA[aa]TR[bb:cc]LB[dd:1]N[name](;B[kk];W[])(;B[k11]))(;GM[1])"
    )
    assert (game.black, game.white, game.result, game.rule) == ("One", "Two", "B+", "renju")
    board = game.root.board()
    assert sorted(map(str, board.stones)) == ["a14", "a15", "b14", "b15", "h8", "i7"]
    assert board.turn == "white"
    move = game.main_line()[0]
    assert str(move.move) == "g9" and move.labels == {game.move("d12"): "1"}
    assert list(move.marks.values()) == ["cross"] + ["triangle"] * 4
    assert move.properties == {"N": ("name",)} and game.root.properties == {"KM": ("0",)}
    assert [str(child.move) for child in move.children] == ["k5", "k11"]
    a_pass = move.children[0].children[0]
    assert a_pass.move is None and a_pass.colour == "white" and a_pass.board().turn == "black"
    assert read_sgf(write_sgf(game)) == game


def test_large_boards_use_capital_letters_after_z() -> None:
    game = read_sgf("(;GM[4]SZ[32:30];B[Fa];W[zD])")
    assert [str(node.move) for node in game.main_line()] == ["af30", "z1"]
    assert "B[Fa];W[zD]" in write_sgf(game)


def test_charsets_are_believed_where_they_are_charsets_of_text() -> None:
    for charset, name in (("GBK", "棋手"), ("utf-8", "棋手"), ("ISO-8859-1", "José"), ("KOI8-R", "Иван")):
        data = f"(;GM[4]CA[{charset}]PB[{name}];B[hh])".encode(charset)
        assert read_sgf(data).black == name
    assert read_sgf("(;GM[4]PB[José])".encode("latin-1")).black == "José"
    assert read_sgf("(;GM[4]PB[棋手])".encode("utf-8-sig")).black == "棋手"
    assert read_sgf(b"(;GM[4]CA[unicode_escape]PB[\\\\u0041])").black == "\\u0041"


def test_escapes_and_broken_lines_are_undone() -> None:
    game = read_sgf("(;GM[4]C[a\\]b\\\\c\\\nd\ne\r\nf\\:g])")
    assert game.root.comment == "a]b\\cd\ne\nf:g"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no SGF"), ("hello", "no SGF"), ("(;GM[4]", "line 1, column 8: the file ends inside a game"),
        ("(;GM[1]SZ[19];B[aa])", r"GM\[1\] is not five in a row"), ("(;SZ[3])", "no 3x3 board"),
        ("(;SZ[x])", r"SZ\[x\]"), ("(;;B[hh]\n;W[hh])", "line 2, column 1: h8 is occ"),
        ("(;\n;B[pa])", "line 2, column 1: pa is off the 15x15 board"),
        ("(;C[abc)", "line 1, column 4: the value of C is not closed"), ("(;B[hh]W[ii])", "two moves in one node"),
        ("(;GM[4]))", None), ("(;GM[4]()", "after '\\(' a node must follow"), ("(;GM[4]!)", "'!\\)' is neither a node"),
        ("(;LB[aa])", "no colon"), ("(;RG[win=2])", "no evaluation"), ("(;RG[])", "no evaluation"),
        ("(;PL[x])", "no colour"),
        ("(;RG[win=0.5 visits=many])", "RG visits: 'many' is no whole number"), ("(;MS[1e9])", "MS: '1e9'"),
        ("(;RG[win=0.5 pv=z99])", "z99 is off"), ("(;AB[aa:zz])", "zz is off"), ("(;b[hh])", "capital letters"),
    ],
)  # fmt: skip
def test_a_damaged_sgf_says_what_and_where(text: str, complaint: str | None) -> None:
    if complaint is None:
        assert read_sgf(text).main_line() == []
        return
    with pytest.raises(ValueError, match=complaint) as caught:
        read_sgf(text)
    assert "\n" not in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_damage_ends_in_a_game_or_a_value_error(data: st.DataObject) -> None:
    whole = bytearray(b"(;FF[4]GM[4]SZ[15]PB[x];B[hh]C[a\\]b];W[ii](;B[gg]RG[win=0.5 pv=h8])(;B[aa]LB[bb:x];W[]))")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    for reader in (read_sgf, read_psq):
        try:
            game = reader(bytes(whole))
        except ValueError as error:
            assert str(error)
            continue
        assert reader is read_psq or read_sgf(write_sgf(game)) == game


@pytest.mark.parametrize(
    "text",
    [
        "(;" * 200_000, "(" * 200_000, "(;GM[4]" + ";" * 300_000 + ")", "(;GM[4]C[" + "\\" * 2_000_001,
        "(;GM[4]AB" + "[aa:oo]" * 100_000 + ")", "(;GM[4]C[" + "x" * 3_000_000, "(;GM[4]" + "\n" * 1_000_000,
        "(;GM[4]RG[win=0." + "9" * 1_000_000 + "x])", "(;GM[4]SZ[" + "9" * 100_000 + "])",
        "(;GM[4]RG[win=0.5 visits=" + "9" * 100_000 + "])",
    ],
)  # fmt: skip
def test_hostile_sgf_is_refused_soon(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError) as caught:
        read_sgf(text)
    assert len(str(caught.value)) < 200
    assert time.process_time() - began < 10


@pytest.mark.parametrize("repeated", ["X[a]", "AB[bb:aa]"])
def test_a_property_named_again_and_again_is_read_soon(repeated: str) -> None:
    began = time.process_time()
    assert read_sgf("(;GM[4]" + repeated * 100_000 + ")").root.properties.get("X", ("a",) * 100_000) == ("a",) * 100_000
    assert time.process_time() - began < 5


def test_a_thousand_moves_deep_is_no_trouble() -> None:
    game = renga.Game(32)
    node = game.root
    cells = [(x, y) for y in range(32) for x in range(32)]
    for index, cell in enumerate(cells):
        node = node.add(game.move(cell), ("black", "white")[index % 2])
    assert read_sgf(write_sgf(game)) == game
    assert len(read_psq(write_psq(game)).main_line()) == 1024
    nested = "(;GM[4]" + "".join(f"(;B[aa]C[{n}]" if n == 0 else f"(;C[{n}]" for n in range(5000)) + ")" * 5001
    assert len(read_sgf(nested).main_line()) == 5000


# Files


def test_files_are_told_apart_by_their_suffix(tmp_path: Path) -> None:
    game = renga.Game.from_board(renga.Board.from_code("h8i9g7", rule="renju"))
    for name in ("game.sgf", "game.PSQ"):
        renga.write_game(game, tmp_path / name)
        twin = renga.read_game(str(tmp_path / name))
        assert twin.rule == "renju" and [node.move for node in twin.main_line()] == [n.move for n in game.main_line()]
    assert renga.read_game(tmp_path / "game.sgf", rule="caro").rule == "caro"
    for wrong in (lambda: renga.read_game(tmp_path / "x.txt"), lambda: renga.write_game(game, tmp_path / "x.txt")):
        with pytest.raises(ValueError, match=r"x\.txt: game files end in \.sgf or \.psq"):
            wrong()
    (tmp_path / "bad.sgf").write_text("(;GM[4]\n;B[zz])")
    with pytest.raises(ValueError, match=r"bad\.sgf: line 2, column 1: zz is off"):
        renga.read_game(tmp_path / "bad.sgf")
    with pytest.raises(FileNotFoundError):
        renga.read_game(tmp_path / "nothing.sgf")
    (tmp_path / "huge.sgf").write_bytes(b" " * (16 << 20) + b" ")
    with pytest.raises(ValueError, match="larger than 16 MB"):
        renga.read_game(tmp_path / "huge.sgf")


def test_a_game_that_psq_cannot_hold_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.psq"
    path.write_text("precious")
    with pytest.raises(ValueError, match="stones are set up"):
        renga.write_game(renga.Game.from_board(renga.Board.from_stones(["a1", "a2"])), path)
    assert path.read_text() == "precious"


def test_a_board_is_no_game(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is no game: Game\.from_board makes one"):
        renga.write_game(renga.Board(), tmp_path / "game.sgf")  # type: ignore[arg-type]
    assert not (tmp_path / "game.sgf").exists()


def test_the_number_of_nodes_has_a_limit() -> None:
    text = "(;GM[4]" + ";" * sgf_text.MOST_NODES + ")"
    with pytest.raises(ValueError, match="nodes, that is no game"):
        read_sgf(text)
