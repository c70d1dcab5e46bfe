"""Certificates of what an analysis has proven: wins, losses, and nothing that cannot be completed."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import renga
from renga.__main__ import main
from renga.notation import RULES
from renga.verify import verify

WIN = "h8i8g8f8h9i9h7i7"
"""Black has an open three and is to move: mate in three plies."""
LOST = "h8a1i8c1j8e1g8"
"""White is to move against an open four: mate in two plies."""
QUIET = "h8i9g9i7"


@pytest.fixture(scope="module")
def engine() -> Iterator[renga.Engine]:
    with renga.Engine(network="off", seed=7) as made:
        yield made


@pytest.mark.parametrize(("code", "mate"), [(WIN, 3), (LOST, -2)])
def test_a_proven_win_or_loss_comes_with_its_certificate(engine: renga.Engine, code: str, mate: int) -> None:
    found = engine.analyse(renga.Board.from_code(code), renga.Limit(nodes=60), lines=2, proof=True)
    assert found.certificate is not None
    assert found.best.mate == mate
    verified = verify(found.certificate.text.encode())
    assert verified.plies == abs(mate)
    assert verified.claim.startswith(f"black wins within {abs(mate)} plies, {'black' if mate > 0 else 'white'} to move")
    assert all(line.mate is None for line in found.lines[1:]), "nobody has checked those"


def test_nothing_proven_or_nothing_asked_is_no_certificate(engine: renga.Engine) -> None:
    limit = renga.Limit(nodes=30)
    assert engine.analyse(renga.Board.from_code(QUIET), limit, proof=True).certificate is None
    assert engine.analyse(renga.Board.from_code(WIN), limit).certificate is None


def test_what_cannot_be_completed_is_not_claimed(engine: renga.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("renga.prove.prove", lambda *args, **options: None)
    found = engine.analyse(renga.Board.from_code(WIN), renga.Limit(nodes=60), proof=True)
    assert found.certificate is None
    assert found.best.mate is None
    assert found.best.score.endswith("%")


def test_a_win_in_nineteen_is_certified_as_the_solver_found_it(engine: renga.Engine) -> None:
    board = renga.Board.from_code("e5f9f5j6g6h7")
    found = engine.analyse(board, renga.Limit(nodes=20_000), proof=True)
    assert found.certificate is not None
    assert found.best.mate == found.certificate.plies <= 23


@pytest.mark.parametrize("rule", RULES)
def test_no_mate_is_shorter_than_its_certificate(engine: renga.Engine, rule: str) -> None:
    """What a MESSAGE shows is the mate of an analysis. The same question has the same answer, so the second one
    certifies what the first has said."""
    limit = renga.Limit(nodes=80)
    rng = random.Random(f"mates {rule}")
    proven = 0
    for _ in range(2):
        board = renga.Board(11, rule=rule)
        while len(board.moves) < 4:
            move = rng.choice([move for move in board.legal_moves if 3 <= move.x <= 7 and 3 <= move.y <= 7])
            board.play(move)
        while not board.is_over and len(board.moves) < 50:
            best = engine.analyse(board, limit).best
            if best.mate is not None and abs(best.mate) > 1:
                certificate = engine.analyse(board, limit, proof=True).certificate
                assert certificate is not None, board
                assert certificate.plies <= abs(best.mate)
                proven += 1
            board.play(best.move)
    assert proven > 0


def test_a_loss_lasts_as_long_as_the_moves_that_do_not_defend(engine: renga.Engine) -> None:
    """The moves that the tree knows lose in six plies here; those that ignore the threat, in eight."""
    stones = ((7, 6), (8, 8), (6, 7), (5, 8), (7, 7), (7, 8), (6, 8), (6, 6), (8, 7), (9, 7), (6, 5), (9, 8), (7, 5))
    board = renga.Board(12)
    for x, y in (*stones, (10, 8), (11, 8)):
        board.play(renga.Move(x, y, 12))
    limit = renga.Limit(nodes=400)
    mate = engine.analyse(board, limit).best.mate
    certificate = engine.analyse(board, limit, proof=True).certificate
    assert mate is not None
    assert certificate is not None
    assert -mate >= certificate.plies


def test_the_command_writes_the_certificate_of_an_analysis(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = tmp_path / "lost.gz"
    assert main(["analyse", LOST, "--nodes", "60", "--network", "off", "--proof", str(proof)]) == 0
    assert main(["verify", str(proof)]) == 0
    assert "VERIFIED black wins within 2 plies, white to move" in capsys.readouterr().out
    proof.unlink()
    assert main(["analyse", QUIET, "--nodes", "30", "--network", "off", "--proof", str(proof)]) == 1
    assert "nothing is proven" in capsys.readouterr().out
    assert not proof.exists()


def test_the_brain_writes_certificates_of_what_it_has_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A won and a lost position, as a manager asks about them."""
    won = "BOARD\n7,7,1\n8,7,2\n6,7,1\n5,7,2\n7,6,1\n8,6,2\n7,8,1\n8,8,2\nDONE\n"
    lost = "BOARD\n7,7,2\n0,0,1\n8,7,2\n2,0,1\n9,7,2\n4,0,1\n6,7,2\nDONE\n"
    folder = tmp_path / "proofs"
    heard = ""
    with subprocess.Popen(
        [sys.executable, "-m", "renga", "brain", "--network", "off", "--proofs", str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    ) as brain:  # fmt: skip
        assert brain.stdin is not None
        assert brain.stdout is not None
        brain.stdin.write("START 15\nINFO timeout_turn 60000\n")
        for stones in (won, lost):
            brain.stdin.write(stones)
            for line in brain.stdout:
                heard += line
                if re.fullmatch(r"\d+,\d+\n", line):
                    break
        brain.stdin.write("END\n")
    files = sorted(folder.iterdir())
    assert [path.name.rpartition("-")[0] for path in files] == ["007-black-wins-within-2", "008-black-wins-within-3"]
    assert all(f"MESSAGE proof: {path.name}" in heard for path in files)
    for path in files:
        assert main(["verify", str(path)]) == 0
    out = capsys.readouterr().out
    assert "VERIFIED black wins within 2 plies, white to move" in out
    assert "VERIFIED black wins within 3 plies, black to move" in out


def test_the_brain_wants_a_folder_for_its_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["brain", "--proofs"]) == 2
    assert capsys.readouterr().err == "renga brain: --proofs needs the name of a folder\n"
