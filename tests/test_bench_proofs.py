"""`bench proofs` and the commands `renga solve --proof` and `renga verify`."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from walks import from_drawing

import cython_core as core
from bench.__main__ import main as bench
from bench.proof_games import Word, own_game
from bench.proof_tally import Tally, followed, has_quiet_move
from brain.records import Analysis, Line
from brain.thinker import Thinker
from renga.__main__ import main as renga
from renga.certificate import Step
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
    tally = Tally()
    tally.enter("a win", board, core.BLACK, 5)
    tally.enter("the same", board, core.BLACK, 5)
    assert (tally.wins, tally.losses, tally.failures) == (1, 0, [])
    board.play(core.cell(5, 5))
    tally.enter("a loss", board, core.BLACK, 4)
    assert (tally.wins, tally.losses, tally.failures) == (1, 1, [])
    assert tally.report("these").startswith("these: verified 1 wins (0 longer than 15 plies, 0 with quiet")


def test_a_claim_that_does_not_hold_is_a_failure() -> None:
    board = from_drawing(TWO_THREES, core.FREESTYLE)
    tally = Tally()
    tally.enter("too short", board, core.BLACK, 3)
    tally.enter("no win", core.Board(7, 7, core.STANDARD), core.BLACK, 3)
    assert tally.failures == [
        "too short: 3 plies were claimed, 5 are needed",
        "no win: 3 plies were claimed, but the proof is not complete",
    ]
    assert tally.wins == 0


def test_a_quiet_move_is_recognised() -> None:
    board = from_drawing(TWO_THREES, core.FREESTYLE)
    certificate = prove(board, core.BLACK)
    assert certificate is not None
    assert not has_quiet_move(board, core.BLACK, certificate.strategy)
    certificate.strategy.move = core.cell(0, 10)
    assert has_quiet_move(board, core.BLACK, certificate.strategy)


def test_puzzle_files_and_own_games_are_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some.tsv"
    file.write_text(PUZZLES)
    assert bench(["proofs", str(file), "--games", "1", "--rule", "0", "--simulations", "100", "--network", "off"]) == 0
    printed = capsys.readouterr().out
    assert "some.tsv (freestyle): verified 1 wins" in printed
    assert "and 0 losses; unsolved 1, failures 0" in printed
    assert "1 own games: verified" in printed


A, B, C, D = (core.cell(x, 0) for x in range(4))


@pytest.mark.parametrize(
    ("first", "later", "complaint"),
    [
        (Line(A, 1.0, proof=9), Line(C, 1.0, proof=7), None),
        (Line(A, 1.0, proof=9), Line(C, 1.0, proof=5), None),
        (Line(A, 1.0, proof=9), Line(C, 1.0, proof=9), "a win by ply 9 was announced, now it is to come by ply 11"),
        (Line(A, 1.0, proof=9), Line(C, 0.9), "a win by ply 9 was announced, now there is none"),
        (Line(A, 1.0, proof=9), Line(C, 0.0, proof=-4), "a win by ply 9 was announced, now there is none"),
        (Line(A, 0.0, proof=-8, pv=(A, B)), Line(C, 0.0, proof=-6), None),
        (Line(A, 0.0, proof=-8, pv=(A, B)), Line(C, 0.0, proof=-8), "-8 plies were announced, two later -8"),
        (Line(A, 0.0, proof=-8, pv=(A, B)), Line(C, 0.4), "-8 plies were announced, two later None"),
        (Line(A, 0.0, proof=-8, pv=(A, D)), Line(C, 0.4), None),
        (Line(A, 0.5), Line(C, 0.0, proof=-8), None),
    ],
)  # fmt: skip
def test_an_end_that_was_announced_may_come_sooner_but_never_later(
    first: Line, later: Line, complaint: str | None
) -> None:
    board, word = core.Board(15, 15, core.FREESTYLE), Word()
    assert word.broken(board, first) is None
    board.play(A)
    board.play(B)
    assert word.broken(board, later) == complaint


def test_an_engine_that_breaks_its_word_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It plays as ever, but says two plies less than it has proven."""
    sound = Thinker.analyse

    def boasting(self: Thinker, *args: Any, **options: Any) -> Analysis:
        found = sound(self, *args, **options)
        plies = found.best.proof or 0
        return replace(found, lines=(replace(found.best, proof=plies - 2), *found.lines[1:])) if plies > 4 else found

    honest = Tally()
    own_game(honest, 0, core.FREESTYLE, 200, "off")
    assert honest.failures == []
    monkeypatch.setattr(Thinker, "analyse", boasting)
    tally = Tally()
    own_game(tally, 0, core.FREESTYLE, 200, "off")
    assert any("plies were claimed" in failure for failure in tally.failures)
    assert any("was announced" in failure for failure in tally.failures)


@pytest.mark.parametrize("name", ["proof.txt", "proof.txt.gz"])
def test_a_win_is_solved_written_and_verified(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / name
    assert renga(["solve", CODE, "--proof", str(file)]) == 0
    assert renga(["verify", str(file)]) == 0
    assert "VERIFIED black wins within 9 plies" in capsys.readouterr().out
    assert renga(["verify", str(file), "--limit", "2"]) == 2
    file.write_bytes(file.read_bytes()[:-7])
    assert renga(["verify", str(file)]) == 2


def test_without_a_win_there_is_no_file_and_every_method_was_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proof"
    assert renga(["solve", "h8a1", "--proof", str(file), "--seconds", "0.3", "--json"]) == 1
    assert not file.exists()
    assert json.loads(capsys.readouterr().out)["method"] == "search"
    assert renga(["solve", "h8a1", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["method"] == "vct"


@pytest.mark.parametrize("command", ["solve", "analyse"])
def test_a_file_that_cannot_be_written_is_named_before_the_work_begins(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was found out when hours of a search were over."""
    for place in (tmp_path, tmp_path / "missing" / "proof.txt"):
        started = time.monotonic()
        assert renga([command, "h8a1", "--seconds", "60", "--proof", str(place)]) == 2
        assert time.monotonic() - started < 30
        assert capsys.readouterr().err.startswith(f"renga {command}: {tmp_path}")


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


def test_a_loss_that_was_announced_is_kept_by_the_certificate_of_then() -> None:
    after_three, after_four = Step(30, {5: Step(6)}, Step(31)), Step(40)
    lost = Step(None, {3: after_three, 4: after_four}, otherwise=Step(50))
    left = followed(lost, 3, 30)
    assert left is not None and left.move is None
    assert left.replies is after_three.replies and left.otherwise is after_three.otherwise
    assert followed(lost, 3, 40) is None  # the winner has played another move
    assert followed(lost, 9, 50) is not None  # any other move
    assert followed(Step(None, {3: after_three}), 9, 50) is None
