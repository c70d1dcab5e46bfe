"""The database as a manager of the Yixin family uses it: set, asked, edited, filled by searches and used by them."""

from __future__ import annotations

import builtins
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from conversation import Conversation, Quick, answer, talking

import cython_core as core
from brain.database import Database
from brain.knowledge import Record
from brain.library import Library
from brain.records import Analysis, Line


def position(*cells: tuple[int, int]) -> core.Board:
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y in cells:
        board.play(core.cell(x, y))
    return board


def set_database(manager: Conversation, path: Path) -> list[str]:
    return answer(manager, "yxsetdatabase", str(path))


def test_whoever_copies_the_file_after_the_end_has_all_of_it(tmp_path: Path) -> None:
    file, copy = tmp_path / "mine.db", tmp_path / "copy.db"
    for last_words in ("END\n", ""):
        said = f'START 15\nyxsetdatabase {file}\nyxedittextdatabase "kept"7,7 done\n{last_words}'
        subprocess.run([sys.executable, "-m", "brain"], input=said, text=True, stdout=subprocess.PIPE, check=True)
        assert [entry.name for entry in tmp_path.iterdir()] == [file.name]
        copy.write_bytes(file.read_bytes())
        known = Database(str(copy)).find(position((7, 7)))
        assert known is not None and known.comment == "kept"
        for used in list(tmp_path.iterdir()):
            used.unlink()


def test_a_database_is_set_filled_by_hand_and_asked(tmp_path: Path) -> None:
    file = tmp_path / "mine.db"
    with talking(Quick) as manager:
        opened = set_database(manager, file)
        assert opened[0] == f"MESSAGE DATABASE LOAD START {file}" and opened[-1] == f"MESSAGE 0 positions in {file}"
        one = answer(manager, "yxedittvddatabase 3 90 200 0", "7,7", "8,8", "done")
        assert one == ["MESSAGE DATABASE ONE 90 200 0 3 Z"]
        assert answer(manager, "yxedittvddatabase 4 -1 0 21", "7,7", "8,8", "done")[0].split()[5] == "21"
        assert answer(manager, 'yxedittextdatabase "two', 'lines, \\"quoted\\" \u56db"7,7', "8,8", "done") == []
        assert answer(manager, "yxeditlabeldatabase 8,8 here", "7,7", "done") == []
        assert answer(manager, "yxquerydatabasetext", "7,7", "8,8", "done") == [
            'MESSAGE DATABASE TEXT "two', 'lines, \\"quoted\\" \u56db"',
        ]  # fmt: skip
        around = answer(manager, "yxquerydatabaseallt", "7,7", "done")
        packed = ord("Z")
        assert around[0] == "MESSAGE DATABASE REFRESH" and around[-2:] == [
            "MESSAGE DATABASE DONE", 'MESSAGE DATABASE TEXT ""',
        ]  # fmt: skip
        # the four cells beside the centre, diagonally, are one
        assert sorted(around[1:-2]) == sorted(
            f"MESSAGE DATABASE {x} {y} {packed} 200 21 3 1 here" for x in (6, 8) for y in (6, 8)
        )
        assert answer(manager, "yxsavedatabase") == ["MESSAGE saved: 2 positions in mine.db"]
        assert answer(manager, "yxdbcheck") == ["MESSAGE checked: ok"]
        text = tmp_path / "mine.csv"
        assert answer(manager, "yxdbtotxt", str(text)) == [f"MESSAGE 2 positions written to {text}"]
        assert answer(manager, "yxdeletedatabaseone", "7,7", "8,8", "done") == ["MESSAGE 1 position deleted"]
        assert answer(manager, "yxquerydatabaseone", "7,7", "8,8", "done") == ["MESSAGE DATABASE ONE 0 0 0 0"]
        assert answer(manager, "yxtxttodb", str(text)) == [f"MESSAGE 2 positions read from {text}"]
        assert answer(manager, "yxdbsplit", str(tmp_path / "part.db"))[0].startswith("MESSAGE 2 positions written to")
        assert answer(manager, "yxdbmerge", str(tmp_path / "part.db"))[0].startswith("MESSAGE 2 positions read from")
        assert answer(manager, "yxlibtodb", str(tmp_path / "no.lib"))[0].startswith("MESSAGE '")
        manager.say("END")
        assert manager.rest() == []
    with_text = Database(str(file)).find(position((7, 7), (8, 8)))
    assert with_text is not None and with_text.comment == 'two\nlines, "quoted" \u56db' and with_text.depth == 21


def test_positions_are_deleted_by_their_results(tmp_path: Path) -> None:
    file = tmp_path / "results.db"
    database = Database(str(file))
    database.put(position((7, 7), (0, 0)), Record(1.0, 5))
    database.put(position((7, 7), (3, 3)), Record(0.5))
    database.put(position((7, 7), (3, 3), (4, 4), (9, 1)), Record(0.0, -2))
    database.close()
    with talking(Quick) as manager:
        set_database(manager, file)
        assert answer(manager, "yxdeletedatabaseall w", "7,7", "done")[0] == "MESSAGE 0 positions deleted"
        assert answer(manager, "yxdeletedatabaseall wrecursive", "7,7", "done")[0] == "MESSAGE 1 position deleted"
        assert "knows W, L" in answer(manager, "yxdeletedatabaseall foo", "7,7", "done")[0]
        assert answer(manager, "yxdeletedatabaseall wlinstep 5", "7,7", "done")[0] == "MESSAGE 0 positions deleted"
        assert answer(manager, "yxdeletedatabaseall wlinstep 6", "7,7", "done")[0] == "MESSAGE 1 position deleted"
        assert answer(manager, "info database_readonly 1", "yxdeletedatabaseall", "7,7", "done")[0].startswith(
            "MESSAGE the database may only be read"
        )
        manager.say("info database_readonly 0")
        assert answer(manager, "yxdeletedatabaseall", "done")[0] == "MESSAGE 1 position deleted"
        manager.say("END")


def test_the_database_answers_while_a_search_runs(tmp_path: Path) -> None:
    with talking() as manager:
        set_database(manager, tmp_path / "busy.db")
        manager.say("BOARD 7,7,1 8,8,2 DONE", "yxquerydatabaseall", "7,7", "done")
        found = [line for line in iter(manager.raw, "MESSAGE DATABASE DONE")]
        assert "MESSAGE DATABASE REFRESH" in found
        manager.say("YXSTOP")
        assert manager.reply() == "0,0"
        manager.say("END")


def test_searches_fill_the_database_and_use_it(tmp_path: Path) -> None:
    file = tmp_path / "learnt.db"
    before = position((7, 7), (8, 8), (7, 6), (9, 9))
    board = "BOARD 7,7,1 8,8,2 7,6,1 9,9,2 DONE"
    with talking(Quick) as manager:
        set_database(manager, file)
        manager.say(board)
        assert manager.reply() == "0,0"
        assert len(Database(str(file))) == 0  # not before it is asked to
        manager.say("INFO usedatabase 1", board)
        assert manager.reply() == "0,0"
        database = Database(str(file))
        assert database.find(before) == Record(1.0, 1, 1)  # the scripted search calls its move a win in one
        assert len(database) == 1  # and nothing follows on that
        # a move that somebody has proven to win is played at once, before any search
        won = before.copy()
        won.play(core.cell(12, 3))
        database.put(won, Record(0.0, -4))
        manager.say(board)
        assert manager.reply() == "12,3"
        # ... unless it is marked as a move not to be played
        database.put(won, Record(0.0, -4, tag="X"))
        manager.say(board)
        assert manager.reply() != "12,3"
        manager.say("INFO database_readonly 1", "INFO usedatabase 0", "END")


def test_moves_that_lose_are_avoided(tmp_path: Path) -> None:
    library = Library()
    database = library.open(str(tmp_path / "lost.db"))
    board = position((7, 7), (9, 8))
    for cell, record in ((1, Record(1.0, 3)), (2, Record(0.5, tag="X")), (3, Record(0.5, tag="L")), (4, Record(0.9))):
        after = board.copy()
        after.play(core.cell(cell, 0))
        database.put(after, record)
    assert library.avoided(board) == {core.cell(1, 0), core.cell(2, 0), core.cell(3, 0)}
    assert library.winning_move(board) is None


def test_what_a_search_found_is_kept_with_the_right_signs(tmp_path: Path) -> None:
    library = Library()
    database = library.open(str(tmp_path / "signs.db"))
    board = position((7, 7), (8, 8))
    cells = [core.cell(3, y) for y in range(4)]
    lines = tuple(
        Line(cell, value, proof=proof)
        for cell, value, proof in zip(cells, (1.0, 0.6, 0.5, 0.0), (5, None, 0, -4), strict=True)
    )
    library.learn(board, Analysis(lines, 100, 1.0, depth=9))
    assert database.find(board) == Record(1.0, 5, 9)
    found = []
    for cell in cells:
        after = board.copy()
        after.play(cell)
        found.append(database.find(after))
    assert found == [Record(0.0, -4, 8), Record(0.4, None, 8), Record(0.5, 0, 8), Record(1.0, 3, 8)]


def test_a_database_that_fails_in_a_game_is_dropped_and_said(tmp_path: Path) -> None:
    said: list[str] = []
    library = Library(said.append)
    library.open(str(tmp_path / "gone.db")).close()
    assert library.avoided(position((7, 7))) == frozenset()
    assert len(said) == 1 and "gone.db" in said[0] and library.database is None
    assert library.winning_move(position((7, 7))) is None and len(said) == 1


def test_a_package_without_sqlite_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: object) -> object:
        if name in ("sqlite3", "brain.database"):
            raise ImportError(name)
        return real(name, *arguments)

    with talking(Quick) as manager:
        monkeypatch.setattr(builtins, "__import__", without)
        none = ["MESSAGE this package has no database of positions: the full one has"]
        assert set_database(manager, tmp_path / "none.db") == none
        assert answer(manager, "yxsavedatabase") == answer(manager, "yxdbtotxt", "out.txt") == none
        assert answer(manager, "yxquerydatabaseall", "done") == []
        manager.say("INFO usedatabase 1", "BOARD 7,7,1 8,8,2 DONE")
        assert manager.reply() == "0,0"
        manager.say("END")


@pytest.mark.parametrize("verb", ["yxsetdatabase", "yxdbtotxt", "yxtxttodb", "yxlibtodb", "yxdbmerge", "yxdbsplit"])
def test_what_can_be_no_file_is_said_and_not_opened(tmp_path: Path, verb: str) -> None:
    with talking(Quick) as manager:
        set_database(manager, tmp_path / "positions.db")
        assert answer(manager, verb, "a\0b") == ["MESSAGE 'a?b' is no name of a file"]
        assert answer(manager, verb, str(tmp_path)) == [f"MESSAGE '{tmp_path}' is there, and is no file"]
        long = "n" * 300
        assert answer(manager, verb, long) == [f"MESSAGE '{long}' cannot be opened: File name too long"]
        manager.say("END")


def test_a_name_that_cannot_be_opened_leaves_the_database_that_is_open(tmp_path: Path) -> None:
    with talking(Quick) as manager:
        set_database(manager, tmp_path / "positions.db")
        (told,) = set_database(manager, tmp_path / "missing" / "positions.db")
        assert told.startswith("MESSAGE ") and "missing" in told
        assert answer(manager, "yxsavedatabase") == ["MESSAGE saved: 0 positions in positions.db"]
        manager.say("END")


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_move_does_not_wait_for_another_program_that_writes_and_nothing_is_lost(tmp_path: Path, kind: str) -> None:
    """A merge of a large file is one transaction of many seconds; a move took 2.2 s, then the database was dropped."""
    said: list[str] = []
    library = Library(said.append)
    database = library.open(str(tmp_path / "shared.db"))
    first, second = position((7, 7)), position((3, 3))
    analysis = Analysis((Line(core.cell(0, 0), 0.6),), 1, 1.0, depth=3)
    with closing(sqlite3.connect(tmp_path / "shared.db", isolation_level=None)) as other:
        other.execute(f"BEGIN {kind}")
        began = time.monotonic()
        library.learn(first, analysis)
        library.learn(second, analysis)
        assert time.monotonic() - began < 1.0 and library.database is database
    assert said == ["another program is writing to the database: what is found waits until it is done"]
    assert len(database) == 0
    library.learn(position((5, 5)), analysis)
    assert len(database) == 6 and database.find(first) == database.find(second) is not None
