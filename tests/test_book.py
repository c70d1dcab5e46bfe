"""Moves from the opening book: in every orientation, where they are wanted, instantly; and what is said without one."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conversation import Patient, talking

import cython_core as core
import renga
from bench.process import ProcessPlayer
from brain.book import MARGIN, Book
from brain.book_file import BookFile, sealed
from brain.clock import Limits
from brain.engine import Engine
from brain.records import Decision, Request, Task

Cell = tuple[int, int]
TEXT = """\
renga-book 1
freestyle 15x15 empty | h8 55.0% 9
freestyle 15x15 h8 | g9 48.0% 90 | h9 47.0% 80 | f10 46.9% 70
freestyle 15x15 h8g9 | g8 52.0% 7
freestyle 15x15 c4d6b8 offer | e6 50.2% 900 | a1 49.9% 2
freestyle 15x15 e9i2k4 offer | h3 48.9% 800
freestyle 20x11 d3 | e4 48.0% 3
"""
NOW = Limits(0.0, 1.0, 1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.book"
    path.write_text(sealed(TEXT))
    return path


def board_of(*cells: Cell, width: int = 15, height: int = 15, rule: int = core.FREESTYLE) -> core.Board:
    board = core.Board(width, height, rule)
    for x, y in cells:
        board.play(core.cell(x, y))
    return board


def cells_of(code: str, height: int = 15) -> list[Cell]:
    return [(ord(name[0]) - ord("a"), height - int(name[1:])) for name in re.findall("[a-z][0-9]+", code)]


def asked(
    path: Path, board: core.Board, task: Task = Task.MOVE, seed: int = 1, limits: Limits = NOW, **more: object
) -> Decision | None:
    request = Request(board, limits, task, **more)  # type: ignore[arg-type]
    return Book(pytest.fail, path).decide(request, random.Random(seed))


TURNS: tuple[Callable[[Cell, int], Cell], ...] = (
    lambda c, n: (c[0], c[1]), lambda c, n: (n - c[0], c[1]), lambda c, n: (c[0], n - c[1]),
    lambda c, n: (n - c[0], n - c[1]), lambda c, n: (c[1], c[0]), lambda c, n: (n - c[1], c[0]),
    lambda c, n: (c[1], n - c[0]), lambda c, n: (n - c[1], n - c[0]),
)  # fmt: skip
"""The eight symmetries of a square, written down anew."""


def said_of(path: Path, size: int, rule: str) -> Iterator[tuple[list[Cell], list[Cell], bool]]:
    """Stones, good moves and whether it is offered, by a reader that knows nothing."""
    for line in path.read_text().splitlines():
        head, *moves = line.split(" | ")
        words = head.split(" ")
        if words[:2] == [rule, f"{size}x{size}"]:
            rates = [float(move.split()[1][:-1]) for move in moves]
            good = [move.split()[0] for move, rate in zip(moves, rates, strict=True) if rates[0] - rate < 1.05]
            yield cells_of("" if words[2] == "empty" else words[2], size), cells_of("".join(good), size), len(words) > 3


@pytest.mark.parametrize(("rule", "number"), [("freestyle", core.FREESTYLE), ("renju", core.RENJU)])
def test_a_position_is_found_in_all_eight_orientations_and_any_order(rule: str, number: int) -> None:
    shipped = Path(__file__).parent.parent / "weights" / "renga.book"
    chance = random.Random(1)
    for stones, good, _ in said_of(shipped, 15, rule):
        black, white = set(stones[::2]), set(stones[1::2])
        for turn in TURNS:
            turned_black, turned_white = ([turn(cell, 14) for cell in colour] for colour in (black, white))
            # Where each good move may have gone: the position may look the same turned in several ways.
            allowed = {
                other(move, 14)
                for other in TURNS
                if {other(cell, 14) for cell in black} == set(turned_black)
                and {other(cell, 14) for cell in white} == set(turned_white)
                for move in good
            }
            chance.shuffle(turned_black)
            chance.shuffle(turned_white)
            order = [*itertools.chain(*itertools.zip_longest(turned_black, turned_white))]
            board = board_of(*(cell for cell in order if cell is not None), rule=number)
            decision = asked(shipped, board, seed=chance.randrange(1000))
            assert decision is not None and decision.moves[0] in allowed, (stones, turn)
            assert decision.book is not None and decision.book.visits > 0 and decision.analysis is None


def test_every_equal_move_and_every_orientation_of_it_comes(path: Path) -> None:
    found = {asked(path, board_of((7, 7)), seed=seed).moves[0] for seed in range(400)}  # type: ignore[union-attr]
    diagonal, beside = {(6, 6), (8, 8), (6, 8), (8, 6)}, {(7, 6), (7, 8), (6, 7), (8, 7)}
    assert MARGIN == 0.01 and found == diagonal | beside, "not the third move, which is a little more worse"
    assert asked(path, board_of((7, 7)), seed=3) == asked(path, board_of((7, 7)), seed=3)


def test_other_positions_are_not_in_it(path: Path) -> None:
    assert asked(path, board_of((7, 7), (6, 7))) is None
    assert asked(path, board_of((7, 7), rule=core.RENJU)) is None
    assert asked(path, board_of((7, 7), width=20, height=20)) is None
    nobody = board_of((7, 7))
    nobody.put(core.cell(0, 0), core.BLOCKED)
    assert asked(path, nobody) is None
    swapped = core.Board(15, 15, core.FREESTYLE)
    swapped.put(core.cell(7, 7), core.WHITE)
    assert asked(path, swapped) is None
    wide = asked(path, board_of((3, 8), width=20, height=11))
    assert wide is not None and wide.moves == ((4, 7),)


@pytest.mark.parametrize("task", [task for task in Task if task not in (Task.MOVE, Task.SWAP2)])
def test_analyses_are_not_taken_from_it(path: Path, task: Task) -> None:
    assert asked(path, board_of((7, 7)), task) is None


def test_whoever_limits_a_search_or_rules_moves_out_gets_a_search(path: Path) -> None:
    board = board_of((7, 7))
    assert asked(path, board, limits=Limits(0.0, 1.0, 1.0, max_nodes=50)) is None
    assert asked(path, board, limits=Limits(0.0, 1.0, 1.0, max_depth=3)) is None
    assert asked(path, board, blocked=frozenset({core.cell(0, 0)})) is None
    assert asked(path, board, Task.SWAP2, limits=Limits(0.0, 1.0, 1.0, max_nodes=50)) is None


def test_swap2_begins_with_every_opening_of_the_book_in_every_orientation(path: Path) -> None:
    found = set()
    for seed in range(200):
        decision = asked(path, board_of(), Task.SWAP2, seed)
        assert decision is not None and not decision.swap and len(set(decision.cells)) == 3
        black, white, other = decision.moves
        found.add((frozenset((black, other)), white))
    expected = set()
    for stones in ("c4d6b8", "e9i2k4"):
        for turn in TURNS:
            black, white, other = (turn(cell, 14) for cell in cells_of(stones))
            expected.add((frozenset((black, other)), white))
    assert found == expected and len(found) == 16


def test_swap2_takes_the_better_colour_by_the_book(path: Path) -> None:
    better = asked(path, board_of(*cells_of("c4d6b8")), Task.SWAP2)
    assert better is not None and not better.swap and better.moves[0] in cells_of("e6a1")
    worse = asked(path, board_of(*cells_of("e9i2k4")), Task.SWAP2)
    assert worse is not None and worse.swap and worse.cells == ()
    assert asked(path, board_of(*cells_of("c4d6b9")), Task.SWAP2) is None


def test_after_the_opening_the_book_is_not_even_opened(tmp_path: Path) -> None:
    far = board_of(*((x, y) for y in (0, 2) for x in range(0, 10, 2)))
    assert asked(tmp_path / "missing.book", far) is None


def booked(path: Path | None, **settings: str) -> Engine:
    engine = Engine(startup=lambda: 0.0, make_thinker=Patient, chance=random.Random(1), book=Book(pytest.fail, path))
    for key, value in settings.items():
        engine.inform(key, value)
    engine.start(15, 15)
    return engine


def test_info_turns_it_off_and_on(path: Path) -> None:
    engine = booked(path, book="0")
    request = engine.turn(7, 7, 0.0)
    assert (known := engine.known(request)) is not None and known.book is None  # without it: beside the lone stone
    engine.inform("book", "1")
    assert (known := engine.known(request)) is not None and known.book is not None
    for key in ("max_node", "max_depth"):
        limited = booked(path, **{key: "20"})
        assert (known := limited.known(limited.turn(7, 7, 0.0))) is not None and known.book is None


def test_blocked_moves_and_rankings_are_searched(path: Path) -> None:
    engine = booked(path)
    engine.block([(0, 0)], undo=False, path=False)
    assert engine.known(engine.turn(7, 7, 0.0)) is None
    engine = booked(path)
    engine.set_position([(7, 7, 2)])
    assert engine.known(engine.best(3, 0.0)) is None


def brain(*options: str, lines: str, seconds: float = 30.0) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "brain", "--strict", *options], input=lines, capture_output=True, text=True,
        timeout=seconds, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines()


HALF_A_MINUTE = "START 15\nINFO timeout_turn 30000\n"


def test_a_game_begins_from_the_book_at_once_and_says_so(path: Path) -> None:
    began = time.monotonic()
    lines = "BEGIN\nTURN 6,6\nBOARD\n7,7,2\nDONE\nSWAP2BOARD\nDONE\n"
    said = brain("--book", str(path), lines=f"{HALF_A_MINUTE}{lines}END\n")
    assert time.monotonic() - began < 15, "each of four searches would have taken half a minute or two seconds"
    message = r"MESSAGE Book \| Eval [+-]\d+ \| Win rate \d+\.\d% \| Visits \d+ \|( [A-O]\d+)+"
    assert said[0] == "OK" and len(said) == 9
    assert all(re.fullmatch(message, line) for line in said[1::2])
    assert said[1].endswith("| Win rate 55.0% | Visits 9 | H8") and said[2] == "7,7"
    assert said[4] in ("6,7", "7,6"), "beside the centre, and beside the stone at 6,6"
    assert re.fullmatch(r"\d+,\d+ \d+,\d+ \d+,\d+", said[8])


@pytest.mark.parametrize("options", [("--book", "off"), ()])
def test_off_means_that_nothing_is_said_and_a_search_is_made(options: tuple[str, ...]) -> None:
    off = "" if options else "INFO book 0\n"
    said = brain(*options, lines=f"START 15\n{off}INFO timeout_turn 300\nBOARD\n7,7,1\n6,6,2\nDONE\nEND\n")
    assert not any("ook" in line for line in said)
    assert any(line.startswith("MESSAGE Depth") for line in said)


@pytest.mark.parametrize(("damage", "complaint"), [("missing", "is missing"), ("changed", "is damaged"),
                                                   ("sealed", "line 3: h8 is taken twice")])  # fmt: skip
def test_without_a_usable_book_it_is_said_once_and_played_on(path: Path, damage: str, complaint: str) -> None:
    if damage == "missing":
        path.unlink()
    elif damage == "changed":
        path.write_text(sealed(TEXT).replace("55.0%", "56.0%"))
    else:
        path.write_text(sealed(TEXT.replace("h8 | g9", "h8 | h8")))
    turns = "BOARD\n7,7,1\n6,6,2\nDONE\nTURN 0,0\nRESTART\nBEGIN\n"
    said = brain("--book", str(path), lines=f"START 15\nINFO timeout_turn 100\n{turns}END\n")
    about_it = [line for line in said if "book" in line.lower()]
    assert len(about_it) == 1 and about_it[0].startswith("MESSAGE playing without book: ") and complaint in about_it[0]
    assert [line for line in said if not line.startswith("MESSAGE")][1:] and said[-1] == "7,7"


class BrokenBook(Book):
    def decide(self, *arguments: object) -> Decision | None:  # type: ignore[override]
        raise RuntimeError("a bug")


def test_a_bug_in_a_lookup_is_said_and_a_legal_move_comes_all_the_same() -> None:
    with talking(strict=False) as manager:
        manager.loop.engine.book = BrokenBook()
        for line in ("TURN 7,7", "SWAP2BOARD DONE"):
            manager.say(line)
            assert manager.raw() == "MESSAGE internal error, please report: RuntimeError: a bug"
            assert re.fullmatch(r"\d+,\d+( \d+,\d+){0,2}", str(manager.reply()))
        manager.say("END")
        assert manager.rest() == []


def test_the_board_that_draws_searches_gets_the_same_line(path: Path) -> None:
    with talking() as manager:
        manager.loop.engine.book = Book(pytest.fail, path)
        manager.say("INFO show_detail 3", "TURN 7,7")
        lines = [manager.raw(), manager.raw()]
        assert lines[0] is not None and lines[0].startswith("MESSAGE Book | ")
        assert lines[1] is not None and re.fullmatch(r"\d+,\d+", lines[1])
        manager.say("YXNBEST 2", "YXSTOP")
        assert manager.reply() is not None
        manager.say("END")


def test_the_package_plays_from_it_unless_a_search_is_asked_for(path: Path) -> None:
    with renga.Engine(network="off", book=path, seed=1) as engine:
        began = time.monotonic()
        assert str(engine.play(renga.Board(), renga.Limit(seconds=20))) == "h8"
        assert str(engine.play(renga.Board.from_code("h8g9"), renga.Limit(seconds=20), level=12)) in ("g8", "h9")
        opening = engine.swap2(renga.Board(), renga.Limit(seconds=20))
        assert len(opening.moves) == 3 and not opening.swap
        assert engine.swap2(renga.Board.from_code("e9i2k4"), renga.Limit(seconds=20)).swap
        assert time.monotonic() - began < 10
        board, limit = renga.Board.from_code("h8g9"), renga.Limit(nodes=60)
        assert engine.analyse(board, limit).visits >= 20
        with renga.Engine(network="off", book="off", seed=1) as without:
            assert engine.play(board, limit) == without.play(board, limit), "with nodes the answer is the search's"


def test_levels_for_people_play_as_without_it(path: Path) -> None:
    board = renga.Board.from_code("h8g9")
    for level in (1, 5, 11):
        with_it, without = (renga.Engine(network="off", book=book, seed=level) for book in (path, "off"))
        assert [with_it.play(board, level=level) for _ in "ab"] == [without.play(board, level=level) for _ in "ab"]


def test_the_package_refuses_a_book_by_name_and_warns_of_its_own_once(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=r"none\.book is missing"):
        renga.Engine(network="off", book=tmp_path / "none.book")
    with pytest.raises(ValueError, match="no book 5: it is None, the path of a file, or 'off'"):
        renga.Engine(network="off", book=5)  # type: ignore[arg-type]
    monkeypatch.setattr("brain.book.weights_folder", lambda: tmp_path)
    with renga.Engine(network="off") as engine:
        with pytest.warns(RuntimeWarning, match=r"playing without book: .*renga\.book is missing"):
            assert str(engine.play(renga.Board())) == "h8"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert str(engine.play(renga.Board())) == "h8"


def test_matches_of_programs_are_played_without_it(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    script = f"import sys\nfor line in sys.stdin:\n open({str(heard)!r}, 'a').write(line)\n print('OK', flush=True)"
    from bench.players import Control

    player = ProcessPlayer(f"{sys.executable} -c \"{script}\"")
    try:
        player.new_game(15, 15, 0, Control(1000))
    finally:
        player.close()
    assert "INFO book 0" in heard.read_text().splitlines()


def test_the_rest_of_a_book_is_read_when_it_is_asked_for(path: Path) -> None:
    path.write_text(sealed(TEXT + "renju 15x15 h8 | h8 50.0% 1\n"))
    assert asked(path, board_of((7, 7))) is not None
    file = BookFile(path)
    assert len(file.places) == 3
