"""The puzzle runner: what counts as solved, wrong, unsolved and refuted."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

import cython_core as core
from bench.__main__ import main
from bench.players import Control
from bench.positions import read_positions
from bench.puzzle_games import as_moves, why_not_won
from bench.puzzles import read_puzzles
from bench.reference import Cell, Position, Proof, why_vct_fails
from bench.tactics import ASK, Claim, read_proof, solve, verdict_on

# An open three of black; a lonely stone.
VCF = "#id\tside\tsize\tblack\twhite\tfours\twinning_first_fours\tline(attacker,defender,...)\n" + (
    "one\tB\t15\tg8 h8 i8\ta1 c1\t2\tf8 j8 +?\tf8 e8 j8\n"
)
NO_VCF = "#id\tside\tsize\tblack\twhite\nnone\tB\t15\th8\ta1\nsome\tB\t9\td4 e4 f4\ta1 a9\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "vcf.tsv").write_text(VCF)
    (tmp_path / "no_vcf.tsv").write_text(NO_VCF)
    return tmp_path / "vcf.tsv", tmp_path / "no_vcf.tsv"


def test_files_are_told_apart_by_their_columns(files: tuple[Path, Path]) -> None:
    vcf, no_vcf = (read_puzzles(path) for path in files)
    assert (vcf.kind, no_vcf.kind) == ("vcf", "no-vcf")
    assert vcf.puzzles[0].answers == {(5, 7), (9, 7)}
    board = vcf.puzzles[0].board(0)
    assert board.side == 0 and board.ply == 5


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(NO_VCF + "bad\tB\t15\tz99\ta1\n")
    with pytest.raises(ValueError, match=r"bad\.tsv:4"):
        read_puzzles(path)


def test_solved_and_refuted_are_reported(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tactics", str(files[0])]) == 0
    assert "solved 1 of 1 (100.00 %" in capsys.readouterr().out
    assert main(["tactics", str(files[1]), "--nodes", "1000", "--list"]) == 0
    out = capsys.readouterr().out
    assert "solved 1 of 2" in out and "refuted 1" in out and "some refuted" in out
    assert main(["tactics", str(files[0]), "--seconds", "1"]) == 0


def test_a_claim_the_reference_refutes_is_wrong(files: tuple[Path, Path]) -> None:
    puzzle = read_puzzles(files[0]).puzzles[0]
    assert verdict_on("vcf", puzzle, Claim("win", 1, 0.0, (5, 7), "no four"))[0] == "wrong"
    assert verdict_on("vcf", puzzle, Claim("none", 1, 0.0))[0] == "wrong"
    assert verdict_on("vcf", puzzle, Claim("unknown", 1, 0.0))[0] == "unsolved"
    assert verdict_on("vcf", puzzle, Claim("win", 1, 0.0, (0, 0)))[0] == "solved"


def size_of(proof: Proof) -> int:
    return 1 + sum(size_of(answer) for answer in proof.replies.values())


def test_a_win_found_after_the_time_is_not_solved(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = read_puzzles(files[0]).puzzles[0]
    monkeypatch.setitem(ASK, "vcf", lambda puzzle, rule, nodes: Claim("win", nodes, 0.8, (5, 7)))
    assert solve("vcf", puzzle, 0, 0, 1.0).verdict == "solved"
    assert solve("vcf", puzzle, 0, 0, 0.5).verdict == "unsolved"
    assert solve("vcf", puzzle, 0, 1000, 0.0).verdict == "solved"


def test_passing_over_far_replies_gives_the_same_verdict_as_every_reply() -> None:
    checked = 0
    for board, side in product(read_positions(), (core.BLACK, core.WHITE)):
        found = core.solve_vct(board, side, 500)
        if found.proof is None or len(found.line) < 5 or board.width > 15:
            continue
        proof = read_proof(found.proof, {})
        if size_of(proof) > 10:
            continue
        stones = {core.xy(cell): colour for cell, colour in board.history}
        position = Position(board.width, board.height, board.rule, stones, side)
        assert why_vct_fails(position, side, proof) is None
        assert why_vct_fails(position, side, proof, every_reply=True) is None
        # Without its listed replies the proof fails, or it does not, whichever way it is replayed.
        bare = Proof(proof.move, {}, proof.threat)
        quick = why_vct_fails(position, side, bare)
        assert (quick is None) == (why_vct_fails(position, side, bare, every_reply=True) is None)
        checked += 1
    assert checked >= 2


# Three in a row and a free end: won by a four and a five. White has moved last.
PLAYED = "#id\tside\tsize\tblack\twhite\tfours\twinning_first_fours\tline(attacker,defender,...)\n" + (
    "two\tB\t15\tg8 h8 i8\ta1 c1 e1\t2\tf8 j8\tf8 e8 j8\n"
)


class Scripted:
    """Plays the given cells in turn."""

    def __init__(self, *cells: Cell) -> None:
        self.cells = list(cells)
        self.seen: list[list[Cell]] = []

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        assert (width, height, rule) == (15, 15, 0)

    def choose(self, moves: Sequence[Cell], left_ms: int) -> Cell:
        self.seen.append(list(moves))
        return self.cells.pop(0)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("cells", "flaw"),
    [
        ([(5, 7), (9, 7)], None),
        ([(0, 0)], "0,0 makes no four"),
        ([(6, 7)], "illegal move 6,7"),
    ],
)
def test_a_played_puzzle_is_won_by_nothing_but_fours(tmp_path: Path, cells: list[Cell], flaw: str | None) -> None:
    (tmp_path / "played.tsv").write_text(PLAYED)
    (puzzle,) = read_puzzles(tmp_path / "played.tsv").puzzles
    player = Scripted(*cells)
    assert why_not_won(puzzle, 0, player, Control())[0] == flaw
    first = player.seen[0]
    assert set(first[1::2]) == set(puzzle.white) and set(first[::2]) == set(puzzle.black)
    if flaw is None:
        assert player.seen[1] == [*first, (5, 7), (4, 7)]


def test_stones_that_are_no_game_cannot_be_played(files: tuple[Path, Path]) -> None:
    with pytest.raises(ValueError, match="puzzle one: 3 own and 2 other stones"):
        as_moves(read_puzzles(files[0]).puzzles[0])


def test_the_command_lets_our_own_player_win(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "played.tsv").write_text(PLAYED)
    assert main(["tactics", str(tmp_path / "played.tsv"), "--player", "@renga:network=off"]) == 0
    assert "won by fours 1 of 1 (100.00 %)" in capsys.readouterr().out
