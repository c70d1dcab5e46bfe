"""training.book: which positions a book is grown from, the same after a kill as without, and books edited by hand."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from networks import CORE_BLOCKS, write_network

import cython_core as core
from brain.book_file import BookError, BookFile, sealed
from brain.choice import Child
from brain.opening import first_move
from brain.position_key import PositionKey, key_of, onto_key
from brain.records import Line
from brain.symmetry import distinct
from cython_core.network.encoding import LINE_LIMIT
from training.__main__ import main
from training.book import MOST_EQUALS, Plan, answers_from, grown, merged, offers, ours, seal, theirs

EMPTY_9 = key_of(core.Board(9, 9, core.FREESTYLE))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "tiny.onnx"
    return write_network(path, channels=16, hidden=16, blocks=CORE_BLOCKS, step=LINE_LIMIT / 32760)


def imagined(key: PositionKey, simulations: int) -> tuple[Line, ...]:
    """A search's answer by dice that the position throws."""
    chance = random.Random(f"{key.stones.hex()} {key.rule}")
    board = key.board()
    onto = onto_key(board)
    cells = [min(symmetry[cell] for symmetry in onto) for cell in distinct(board, board.legal_cells())]
    if board.ply > 1 and chance.random() < 0.1:
        return ()  # nothing defends
    best = round(chance.uniform(0.4, 0.6), 3)
    moves = enumerate(chance.sample(cells, 5))
    proofs = {cells[-1]: 5}
    return tuple(
        Line(cell, best - 0.004 * at, 0.0, chance.random() / 8, simulations // (at + 1), proofs.get(cell))
        for at, cell in moves
    )


def reached(board: core.Board, own: int, plies: int) -> set[PositionKey]:
    """Our positions, found move by move with no regard to transpositions."""
    key = key_of(board)
    lines = imagined(key, 100)
    mine = board.side == own
    if not lines or lines[0].proof is not None:
        return set()
    found = {key} if mine else set()
    if board.ply == plies:
        return found
    cells = [line.move for line in (ours(lines) if mine else theirs(lines))]
    if not mine and (known := first_move(key.board())) is not None:
        cells.append(known)
    for cell in cells:
        following = key.board()
        following.play(cell)
        found |= reached(following, own, plies)
    return found


@pytest.mark.parametrize("own", [core.BLACK, core.WHITE])
@pytest.mark.parametrize("plies", [0, 1, 3, 4])
def test_it_answers_what_follows_on_our_best_moves_and_theirs(own: int, plies: int) -> None:
    plan = Plan((core.FREESTYLE,), (9,), 100, plies, 0)
    found = answers_from(EMPTY_9, own, plan, imagined)
    assert found.keys() == reached(core.Board(9, 9, core.FREESTYLE), own, plies)
    assert bool(found) == (plies >= own) and (plies < 3 or len(found) > 10)
    for key, answer in found.items():
        assert answer.key == key and key.side == own and key.ply <= plies
        assert 1 <= len(answer.lines) <= MOST_EQUALS and answer.lines == ours(imagined(key, 100))


def test_equal_moves_need_visits_and_sensible_ones_a_share() -> None:
    lines = [Line(1, 0.60, prior=0.3, visits=100), Line(2, 0.65, prior=0.01, visits=3), Line(3, 0.595, visits=30),
             Line(4, 0.58, prior=0.04, visits=90), Line(5, 0.2, prior=0.06)]  # fmt: skip
    assert [line.move for line in ours(lines)] == [1, 3]
    assert [line.move for line in theirs(lines)] == [1, 4, 3, 5]


def test_moves_that_are_the_same_by_symmetry_are_one() -> None:
    board = core.Board(9, 9, core.FREESTYLE)
    board.play(core.cell(4, 4))
    corners = [core.cell(x, y) for x in (3, 5) for y in (3, 5)]
    children = [Child(cell, 10 * at, 0.5 + 0.01 * at, 0.1, 0.1, None) for at, cell in enumerate(corners)]
    children.append(Child(core.cell(0, 0), 5, 0.3, 0.1, 0.2, None))
    corner, far = merged(board, children)
    assert (corner.cell, corner.visits, corner.prior) == (min(corners), 60, pytest.approx(0.4))
    assert corner.value == pytest.approx((10 * 0.51 + 20 * 0.52 + 30 * 0.53) / 60)
    assert far == children[-1]


def test_offers_are_even_by_both_searches_and_no_two_are_the_same() -> None:
    plan = Plan((core.RENJU,), (15,), 1000, 3, 6)
    found = list(offers(core.RENJU, 15, plan, imagined))
    assert len({answer.key for answer in found}) == 6 == len(found)
    for answer in found:
        assert answer.offer and answer.key.ply == 3 and answer.key.side == core.WHITE
        assert abs(answer.lines[0].value - 0.5) <= 0.02
    assert list(offers(core.RENJU, 15, Plan((), (), 1000, 3, 0), imagined)) == []
    book = grown(core.RENJU, 15, Plan((core.RENJU,), (15,), 1000, 4, 6), imagined)
    assert sum(answer.offer for answer in book.values()) == 6
    after = [key for key in book if key.ply == 4 and any(key.follows(answer.key.board()) for answer in found)]
    assert len(after) >= 6, "white's replies are answered too"


def command(network: Path, out: Path, *more: str) -> list[str]:
    rest = ["--sizes", "9", "--simulations", "60", "--plies", "3", "--offers", "1", *more]
    return ["book", "--network", str(network), "--out", str(out), *rest]


def test_a_kill_loses_no_search_and_the_book_is_the_same(network: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.book", tmp_path / "killed.book"
    assert main(command(network, whole, "--rules", "freestyle,renju")) == 0
    log = killed.with_name("killed.book.searches")
    run = [sys.executable, "-m", "training", *command(network, killed, "--rules", "freestyle,renju")]
    with subprocess.Popen(run, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < 15):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = log.read_bytes()
    kept = before[: before.rfind(b"\n") + 1]
    with log.open("ab") as file:
        file.write(b"[0, 9, 9, ")  # and the piece of a line that a full disk may leave
    assert main(command(network, killed, "--rules", "freestyle,renju")) == 0
    assert killed.read_bytes() == whole.read_bytes()
    assert log.read_bytes().startswith(kept) and log.read_bytes() == whole.with_name("whole.book.searches").read_bytes()
    asked = [json.dumps(json.loads(line)[:5]) for line in log.read_text().splitlines()[1:]]
    assert len(set(asked)) == len(asked), "nothing is searched twice"
    assert {place[0] for place in BookFile(killed).places} == {core.FREESTYLE, core.RENJU}


def test_more_plies_go_on_from_the_searches_of_fewer(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "some.book"
    assert main(command(network, out, "--rules", "caro", "--plies", "1")) == 0
    log = out.with_name("some.book.searches")
    few, first = len(BookFile(out)), log.read_bytes()
    assert main(command(network, out, "--rules", "caro", "--plies", "2")) == 0
    assert log.read_bytes().startswith(first) and len(BookFile(out)) > few
    assert capsys.readouterr().out.splitlines()[-1] == f"{out}: {len(BookFile(out))} positions"


def test_searches_of_another_network_and_other_files_are_refused(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "some.book"
    log = out.with_name("some.book.searches")
    for text, complaint in (
        ('{"network": "another"}\n', "searches of another network"),
        ("a poem\n", "searches of another network"),
        ('{"network": "1"}\n[1, 2]\n', "line 2: no search of ours"),
        ('{"network": "1"}\n[\xff]\n', "line 2: no search of ours"),
    ):
        log.write_text(text, encoding="latin-1")
        assert main(command(network, out)) == 1
        assert complaint in capsys.readouterr().err and log.read_text(encoding="latin-1") == text
    assert not out.exists()


def test_an_edited_book_is_sealed_after_every_line_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.book"
    text = "renga-book 1\n# mine\nfreestyle 15x15 empty | h8 50.0% 1\n"
    path.write_text(sealed(text).replace("50.0%", "51.0%"))
    with pytest.raises(BookError, match="damaged"):
        BookFile(path)
    assert main(["book", "--seal", str(path)]) == 0
    assert len(BookFile(path)) == 1 and path.read_text().startswith(text.replace("50.0%", "51.0%"))
    spoilt = path.read_text().replace("h8", "h99")
    path.write_text(spoilt)
    assert main(["book", "--seal", str(path)]) == 1
    assert f"book {path}, line 3: h99 is off the 15x15 board" in capsys.readouterr().err and path.read_text() == spoilt
    path.write_bytes(b"renga-book 1\n# \xff\n")
    assert main(["book", "--seal", str(path)]) == 1
    assert capsys.readouterr().err == f"book: book {path} is no text in UTF-8\n"
    path.write_text(text)
    assert seal(path) == 1
