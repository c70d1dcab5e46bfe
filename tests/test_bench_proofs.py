"""`bench proofs` and the commands `renga solve --proof` and `renga verify`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from walks import from_drawing

import cython_core as core
from bench import proofs
from bench.__main__ import main as bench
from renga.__main__ import main as renga
from renga.prove import prove

TWO_THREES = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . . . x x . . . . . .
    . . . . . . . o . . .
    . . . . . . . . o . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
"""
PUZZLES = """#id\tside\tsize\tblack\twhite\tlisted_answers
one\tB\t15\th8 h9 f10 g10\ta1 a2 a3\th10
none\tB\t15\th8\ta1\t
"""
CODE = "h8a1h9a3f10a5g10o15"


def test_wins_and_losses_are_told_apart_and_counted() -> None:
    board = from_drawing(TWO_THREES, core.FREESTYLE)
    tally = proofs.Tally()
    tally.enter("a win", board, core.BLACK, 5, None)
    tally.enter("the same", board, core.BLACK, 5, None)
    assert (tally.wins, tally.losses, tally.failures) == (1, 0, [])
    board.play(core.cell(5, 5))
    tally.enter("a loss", board, core.BLACK, 4, None)
    assert (tally.wins, tally.losses, tally.failures) == (1, 1, [])
    assert tally.report("these").startswith("these: verified 1 wins (0 longer than 15 plies, 0 with quiet")


def test_a_claim_that_does_not_hold_is_a_failure() -> None:
    board = from_drawing(TWO_THREES, core.FREESTYLE)
    tally = proofs.Tally()
    tally.enter("too short", board, core.BLACK, 3, None)
    tally.enter("no win", core.Board(7, 7, core.STANDARD), core.BLACK, 3, None)
    assert tally.failures == [
        "too short: 3 plies were claimed, 5 are needed",
        "no win: 3 plies were claimed, but the proof is not complete",
    ]
    assert tally.wins == 0


def test_a_quiet_move_is_recognised() -> None:
    board = from_drawing(TWO_THREES, core.FREESTYLE)
    certificate = prove(board, core.BLACK)
    assert certificate is not None
    assert not proofs.has_quiet_move(board, core.BLACK, certificate.strategy)
    certificate.strategy.move = core.cell(0, 10)
    assert proofs.has_quiet_move(board, core.BLACK, certificate.strategy)


def test_puzzle_files_and_own_games_are_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some.tsv"
    file.write_text(PUZZLES)
    assert bench(["proofs", str(file), "--games", "1", "--rule", "0", "--simulations", "100"]) == 0
    printed = capsys.readouterr().out
    assert "some.tsv (freestyle): verified 1 wins" in printed
    assert "and 0 losses; unsolved 1, failures 0" in printed
    assert "1 own games: verified" in printed


@pytest.mark.parametrize("name", ["proof.txt", "proof.txt.gz"])
def test_a_win_is_solved_written_and_verified(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / name
    assert renga(["solve", CODE, "--proof", str(file)]) == 0
    assert renga(["verify", str(file)]) == 0
    assert "VERIFIED black wins within 9 plies" in capsys.readouterr().out
    assert renga(["verify", str(file), "--limit", "2"]) == 2
    file.write_bytes(file.read_bytes()[:-7])
    assert renga(["verify", str(file)]) == 2


def test_without_a_win_there_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof"
    assert renga(["solve", "h8a1", "--proof", str(file)]) == 1
    assert not file.exists()
    capsys.readouterr()


def test_scripts_get_the_verdict_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.txt"
    assert renga(["solve", CODE, "--proof", str(file)]) == 0
    capsys.readouterr()
    assert renga(["verify", "--json", str(file)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["plies"]) == ("verified", 9)
    file.write_text(file.read_text().replace("within 9", "within 7"))
    assert renga(["verify", "--json", str(file)]) == 1
    assert json.loads(capsys.readouterr().out)["reason"].startswith("length")
    file.write_text("nothing of the kind\n")
    assert renga(["verify", "--json", str(file)]) == 2
    assert json.loads(capsys.readouterr().out)["verdict"] == "unusable"
