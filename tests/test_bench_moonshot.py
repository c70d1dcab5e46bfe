"""The proof of the first player's win: its bookkeeping, on a position that is nearly won."""

from __future__ import annotations

from pathlib import Path

import pytest
from walks import from_drawing

import cython_core as core
from bench.__main__ import main as bench
from bench.moonshot import Moonshot

NEARLY_WON = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . x x x . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def nearly_won() -> core.Board:
    return from_drawing(NEARLY_WON, core.FREESTYLE, core.WHITE)


def test_a_win_found_for_one_reply_is_written_for_all_that_it_wins_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moonshot = Moonshot(nearly_won(), tmp_path)
    kinds = len(moonshot.replies)
    assert kinds == 23
    moonshot.try_reply(moonshot.replies[0], 60)
    assert f"{moonshot.name(moonshot.replies[0])}: proven" in capsys.readouterr().out
    assert len(moonshot.proven) > kinds // 2
    assert moonshot.verify()
    assert capsys.readouterr().out.count("VERIFIED black wins within 3 plies, black to move") == len(moonshot.proven)
    assert moonshot.status().startswith(f"{len(moonshot.proven)} of {kinds} kinds of replies are proven to lose")

    again = Moonshot(nearly_won(), tmp_path)
    assert again.proven == moonshot.proven
    assert again.waiting == moonshot.waiting
    certificate = again.certificate(moonshot.replies[0])
    certificate.write_bytes(certificate.read_bytes()[:-9])
    assert not again.verify()


def test_certificates_that_do_not_come_with_the_state_are_missed_and_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--verify was content with none at all, and a run left them out for good."""
    moonshot = Moonshot(nearly_won(), tmp_path)
    assert not moonshot.verify()
    moonshot.try_reply(moonshot.replies[0], 60)
    made = {path: path.read_bytes() for path in tmp_path.glob("*.proof.gz")}
    record = (tmp_path / "replies.txt").read_text()
    for path in made:
        path.unlink()
    capsys.readouterr()
    assert not moonshot.verify()
    assert capsys.readouterr().out.count("no certificate here, --certificates makes it again") == len(made)
    again = Moonshot(nearly_won(), tmp_path)
    again.make_again(60)
    assert capsys.readouterr().out.count("made again: ") == len(made)
    assert {path: path.read_bytes() for path in tmp_path.glob("*.proof.gz")} == made
    assert (tmp_path / "replies.txt").read_text() == record
    assert again.verify()


def test_a_record_cut_short_or_damaged(tmp_path: Path) -> None:
    record = tmp_path / "replies.txt"
    record.write_text("a1 > d5 within 5 plies, 100 bytes\nb1 > d")
    assert len(Moonshot(nearly_won(), tmp_path).proven) == 1
    record.write_text("a1 > d5 within 5 plies, 100 bytes\nz9 > d5 within 5 plies\n")
    with pytest.raises(ValueError, match=r"replies.txt:2: not a reply: 'z9"):
        Moonshot(nearly_won(), tmp_path)


def test_all_replies_to_the_first_move_are_of_35_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(["moonshot", "--status", "--folder", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("0 of 35 kinds of replies are proven to lose\nwaiting: a15 b15 ")
    assert out.endswith(" g9 h9\n"), "the nearest last"
