"""Commands of the Yixin family as text: lists, texts and file names that span lines, and the answers of openings."""

from __future__ import annotations

import pytest

from brain import yixin
from brain.protocol import End, Info, Unknown, parse


def heard(*lines: str) -> list[object]:
    """The commands that these lines make; nothing may be left open."""
    opened, found = None, []
    for line in lines:
        command, opened = parse(line, opened)
        if command is not None:
            found.append(command)
    assert opened is None
    return found


@pytest.mark.parametrize(
    ("lines", "command"),
    [
        (["YXBALANCEONE 30"], yixin.Balance(1, 30)),
        (["yxbalancetwo -5"], yixin.Balance(2, -5)),
        (["yxbalanceone"], yixin.Balance(1, 0)),
        (["YXSEARCHDEFEND"], yixin.SearchDefend()),
        (["yxblock", "7,8", "1 , 2 3,4", "done"], yixin.Block(((7, 8), (1, 2), (3, 4)))),
        (["YXBLOCKUNDO 7,8 DONE"], yixin.Block(((7, 8),), undo=True)),
        (["YXBLOCKPATH", "7,7", "8,8", "DONE"], yixin.Block(((7, 7), (8, 8)), path=True)),
        (["YXBLOCKPATHUNDO 7,7 DONE"], yixin.Block(((7, 7),), undo=True, path=True)),
        (["yxblockreset"], yixin.BlockReset(path=False)),
        (["yxblockpathreset"], yixin.BlockReset(path=True)),
        (["yxswap2step3"], yixin.Swap2Step(3)),
        (["yxsoosorvstep1"], yixin.SoosorvStep(1)),
        (["yxsoosorvstep4 3", "7,7", "7,6", "done"], yixin.SoosorvStep(4, ((7, 7), (7, 6)), 3)),
        (["yxsoosorvstep6", "7,7", "done"], yixin.SoosorvStep(6, ((7, 7),))),
        (["yxquerydatabaseallt", "7,7", "done"], yixin.Database("YXQUERYDATABASEALLT", ((7, 7),))),
        (["yxedittvddatabase 1 87 0 0", "done"], yixin.Database("YXEDITTVDDATABASE", (), "1 87 0 0")),
        (["yxeditlabeldatabase 3,4 A b", "1,1", "done"], yixin.Database("YXEDITLABELDATABASE", ((1, 1),), "3,4 A b")),
        (["yxdeletedatabaseall wlinstep 5", "done"], yixin.Database("YXDELETEDATABASEALL", (), "wlinstep 5")),
        (["yxdeletedatabaseall 7,7 8,8 done"], yixin.Database("YXDELETEDATABASEALL", ((7, 7), (8, 8)))),
        (["yxdeletedatabaseall wlinstep 5 DONE"], yixin.Database("YXDELETEDATABASEALL", (), "wlinstep 5")),
        (["yxedittvddatabase 7 87 50 12 7,7 done"], yixin.Database("YXEDITTVDDATABASE", ((7, 7),), "7 87 50 12")),
        (["yxsoosorvstep4 3 7,7 7 , 6 done"], yixin.SoosorvStep(4, ((7, 7), (7, 6)), 3)),
        (["yxeditlabeldatabase 3,4 done", "1,1", "done"], yixin.Database("YXEDITLABELDATABASE", ((1, 1),), "3,4 done")),
        (["yxsetdatabase", "", "/tmp/a b.db"], yixin.File("YXSETDATABASE", "/tmp/a b.db")),
        (["yxsetdatabase a.db"], yixin.File("YXSETDATABASE", "a.db")),
    ],
)
def test_commands_are_read_whole(lines: list[str], command: object) -> None:
    assert heard(*lines) == [command] and type(heard(*lines)[0]) is type(command)


def test_a_text_keeps_its_lines_quotes_and_backslashes() -> None:
    lines = ['yxedittextdatabase "one', "  END  ", "done", r"a \"b\" \\ c", '\u56db"7,7', "8,8", "done"]
    text = 'one\n  END  \ndone\na "b" \\ c\n\u56db'
    assert heard(*lines) == [yixin.Database("YXEDITTEXTDATABASE", ((7, 7), (8, 8)), text)]
    assert heard('yxedittextdatabase ""', "done") == [yixin.Database("YXEDITTEXTDATABASE")]
    assert heard('yxedittextdatabase "x" 1,2 done') == [yixin.Database("YXEDITTEXTDATABASE", ((1, 2),), "x")]


def test_end_and_info_are_heard_inside_lists_and_before_a_file_name() -> None:
    assert heard("yxblock", "7,7", "INFO rule 4", "done") == [Info("rule", "4"), yixin.Block(((7, 7),))]
    assert heard("yxblock", "7,7", "END") == [End()]
    assert heard("yxsetdatabase", "END") == [End()]


@pytest.mark.parametrize(
    "lines",
    [
        ["yxbalanceone x"], ["yxblock", "hello", "done"], ["yxblock", "done"], ["yxsoosorvstep4 9", "done"],
        ["yxsoosorvstep5 x", "done"], ["yxquerydatabaseall", "7", "done"],
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_complaint(lines: list[str]) -> None:
    (command,) = heard(*lines)
    assert isinstance(command, yixin.Bad) and command.reason


def test_endless_lists_and_texts_are_not_kept() -> None:
    opened = None
    for _ in range(3000):
        _, opened = parse("1,1" if opened else "yxblock", opened)
    assert opened is not None and isinstance(opened, yixin.Open) and len(opened.cells) == yixin.MOST_CELLS
    _, opened = parse('yxedittextdatabase "', None)
    for _ in range(3):
        _, opened = parse("x" * 60000, opened)
    assert isinstance(opened, yixin.Open) and len(opened.header) <= yixin.LONGEST_TEXT + 1


def test_other_words_are_still_unknown() -> None:
    assert heard("YXFOO 1") == [Unknown("YXFOO 1")]


def test_openings_are_answered_in_the_boards_words() -> None:
    assert yixin.swap2_step(1, [(1, 2), (3, 4), (5, 6)], False) == [
        "MESSAGE SWAP2 MOVE1 1 2", "MESSAGE SWAP2 MOVE2 3 4", "MESSAGE SWAP2 MOVE3 5 6",
    ]  # fmt: skip
    assert yixin.swap2_step(2, [(1, 2), (3, 4)], False) == ["MESSAGE SWAP2 MOVE4 1 2", "MESSAGE SWAP2 MOVE5 3 4"]
    assert yixin.swap2_step(2, [], True) == ["MESSAGE SWAP2 SWAP1 YES"]
    assert yixin.swap2_step(2, [(1, 2)], False) == ["MESSAGE SWAP2 SWAP1 NO"]
    assert yixin.swap2_step(3, [], True) == ["MESSAGE SWAP2 SWAP2 YES"]
    assert yixin.soosorv_step(3, [(1, 2)], False, 4) == ["MESSAGE SOOSORV MOVE4 1 2 4"]
    assert yixin.soosorv_step(4, [], True, 0) == ["MESSAGE SOOSORV SWAP2 YES"]
    assert yixin.soosorv_step(5, [(1, 2)], False, 0) == [
        "MESSAGE SOOSORV MOVE5 REFRESH", "MESSAGE SOOSORV MOVE5 1 2", "MESSAGE SOOSORV MOVE5 DONE",
    ]  # fmt: skip
    assert yixin.soosorv_step(6, [(1, 2)], False, 0) == ["MESSAGE SOOSORV MOVE5C 1 2"]
