"""The puzzle runner: what counts as solved, wrong, unsolved and refuted."""

from pathlib import Path

import pytest

from bench.__main__ import main
from bench.puzzles import read_puzzles
from bench.tactics import Claim, judge

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
    assert judge("vcf", puzzle, Claim("win", 1, 0.0, (5, 7), "no four"))[0] == "wrong"
    assert judge("vcf", puzzle, Claim("none", 1, 0.0))[0] == "wrong"
    assert judge("vcf", puzzle, Claim("unknown", 1, 0.0))[0] == "unsolved"
    assert judge("vcf", puzzle, Claim("win", 1, 0.0, (0, 0)))[0] == "solved"
