"""The search tree in a file, as a manager of the Yixin family writes and reads it."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import pytest
from conversation import Conversation, Quick, talking

from brain import tree_file
from brain.thinker import Thinker

POSITION = "7,7,1 8,8,2 7,9,1 8,7,2 DONE"
FEW = "INFO max_node 400"
LONG = "n" * 300
"""No name of a file anywhere."""


def answer(manager: Conversation, *lines: str) -> str:
    """The one line that is said to these."""
    manager.say(*lines, "YXSHOWFORBID")
    found = manager.raw()
    assert found is not None and (end := manager.raw()) is not None and end.startswith("FORBID"), found
    return found


def visits(manager: Conversation) -> int:
    """Of the position, after a short search of it."""
    manager.say(FEW, f"BOARD {POSITION}")
    told = manager.raw()
    while (line := manager.raw()) is not None and line.startswith("MESSAGE"):
        told = line
    assert told is not None
    return int(told.split("Visits ")[1].split()[0])


def test_a_search_goes_on_where_another_process_has_stopped(tmp_path: Path) -> None:
    file = tmp_path / "my analysis"
    with talking(Thinker) as manager:
        first = visits(manager)
        told = answer(manager, "yxhashdump", str(file))
        assert told.endswith(f"positions of the search tree written to {file}") and int(told.split()[1]) > 100
        manager.say("END")
    with talking(Thinker) as manager:
        assert answer(manager, "yxhashload", str(file)) == told.replace("written to", "read from")
        assert answer(manager, "yxshowhashusage") != "MESSAGE the search tree is 0.0% full"
        assert visits(manager) > 1.5 * first
        manager.say("END")
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_dump_waits_for_the_move_that_is_due(tmp_path: Path) -> None:
    with talking(Thinker) as manager:
        manager.say("INFO timeout_turn 500", f"BOARD {POSITION}", f"yxhashdump {tmp_path / 'tree'}")
        assert "," in str(manager.reply())
        assert str(manager.raw()).startswith("MESSAGE ")
        manager.say("END")


def test_what_cannot_be_dumped_is_said(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"still here")
    with talking(Thinker) as manager:
        assert answer(manager, f"yxhashdump {old}") == f"MESSAGE '{old}': nothing has been searched yet"
        visits(manager)
        missing = tmp_path / "missing" / "tree"
        assert answer(manager, f"yxhashdump {missing}") == f"MESSAGE '{missing}': No such file or directory"
        assert answer(manager, f"yxhashdump {tmp_path}") == f"MESSAGE '{tmp_path}': that is there, and is no file"
        assert answer(manager, "yxhashdump", "a\0b") == "MESSAGE 'a?b': that is no name of a file"
        assert answer(manager, f"yxhashdump {LONG}") == f"MESSAGE '{LONG}': that cannot be opened: File name too long"
        manager.say("yxhashclear")
        assert answer(manager, f"yxhashdump {old}") == f"MESSAGE '{old}': the search tree is empty"
        manager.say("END")
    assert old.read_bytes() == b"still here" and list(tmp_path.iterdir()) == [old]


@pytest.mark.skipif(sys.platform == "win32", reason="files that are pipes are POSIX")
def test_nothing_is_written_into_a_pipe(tmp_path: Path) -> None:
    part = tmp_path / "tree.part"
    os.mkfifo(part)
    with talking(Thinker) as manager:
        visits(manager)
        told = answer(manager, f"yxhashdump {tmp_path / 'tree'}")
        assert told == f"MESSAGE '{tmp_path / 'tree'}': {part} is there, and is no file"
        manager.say("END")
    assert part.is_fifo()


def header(**changes: object) -> bytes:
    told = {"rule": 0, "width": 15, "height": 15, "side": 0, "stones": []} | changes
    return tree_file.FIRST_LINE + json.dumps(told).encode() + b"\n"


def zipped(content: bytes) -> bytes:
    """Without the time, which would be in the names of the tests: all processes that share them out need the same."""
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no search tree"),
        (b"SGF", "no search tree"),
        (zipped(b""), "no search tree"),
        (zipped(b"Renga search tree 9\n"), "no search tree"),
        (zipped(tree_file.FIRST_LINE + b"{"), "no search tree"),
        (zipped(tree_file.FIRST_LINE + b"[" * 60000), "no search tree"),
        (zipped(header(width="15")), "no search tree"),
        (zipped(header(width=10**30)), "no search tree"),
        (zipped(header(side=7)), "no search tree"),
        (zipped(header(stones=[[7, 15, 0]])), "no search tree"),
        (zipped(header(stones=[[7, 7, 0], [7, 7, 1]])), "no search tree"),
        (zipped(header(rule=4)), "another rule or size"),
        (zipped(header(width=20, height=20)), "another rule or size"),
        (zipped(header()), "ends too early"),
        (zipped(header() + bytes(4000)), "goes on where it should end"),
        (zipped(header() + b"\xff" * 4000), "damaged"),
        (zipped(header() + os.urandom(4000))[:-20], ""),
    ],
)
def test_what_is_no_tree_is_said_and_the_game_goes_on(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "tree"
    file.write_bytes(content)
    with talking(Thinker) as manager:
        told = answer(manager, f"yxhashload {file}")
        assert told.startswith(f"MESSAGE '{file}': ") and words in told
        assert visits(manager) >= 100
        manager.say("END")


def test_a_tree_needs_a_board() -> None:
    with talking(Quick) as manager:
        missing = "/no/such/file"
        assert answer(manager, f"yxhashload {missing}") == f"MESSAGE '{missing}': No such file or directory"
        manager.say("END")
