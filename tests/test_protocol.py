"""Lines to commands and back."""

import time

import pytest

from brain import protocol
from brain.protocol import Bad, Board, Info, NBest, OpenList, Play, Start, Swap2Board, Takeback, Turn, Unknown, parse


def parsed(*lines: str) -> list[protocol.Command]:
    """All commands of a conversation."""
    commands, open_list = [], None
    for line in lines:
        command, open_list = parse(line, open_list)
        if command is not None:
            commands.append(command)
    return commands


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("START 15", Start(15, 15)),
        ("  sTaRt\t20  ", Start(20, 20)),
        ("START 15 15", Start(15, 15)),
        ("START 15 20", Bad("START needs one board size, such as 20")),
        ("START 15x", Bad("START needs one board size, such as 20")),
        ("START", Bad("START needs one board size, such as 20")),
        ("START 99999999999999999999", Bad("START needs one board size, such as 20")),
        ("START -5", Start(-5, -5)),
        ("RECTSTART 20 , 15", Start(20, 15)),
        ("RECTSTART 20", Bad("RECTSTART needs width,height")),
        ("RESTART", protocol.Restart()),
        ("BEGIN", protocol.Begin()),
        ("TURN 7, 7", Turn(7, 7)),
        ("turn  7,7\r", Turn(7, 7)),
        ("TURN 7 7", Bad("TURN needs x,y")),
        ("TURN 7.5,3", Bad("TURN needs x,y")),
        ("TURN 7,7,7", Bad("TURN needs x,y")),
        ("PLAY 3,3", Play(3, 3)),
        ("TAKEBACK 3,3", Takeback(3, 3)),
        ("INFO timeout_turn 500", Info("timeout_turn", "500")),
        ("INFO TIMEOUT_TURN  500 ", Info("timeout_turn", "500")),
        ("INFO\ttimeout_turn\t500", Info("timeout_turn", "500")),
        ("INFO folder C:\\a b", Info("folder", "C:\\a b")),
        ("INFO rule", Info("rule", "")),
        ("ABOUT", protocol.About()),
        ("END", protocol.End()),
        ("ENDGAME", Unknown("ENDGAME")),
        ("yxstop", protocol.Stop()),
        ("STOP", protocol.Stop()),
        ("YXNBEST 3", NBest(3)),
        ("YXNBEST 0", Bad("YXNBEST needs a positive number")),
        ("YXSHOWFORBID", protocol.ShowForbid()),
        ("YXHASHCLEAR", protocol.HashClear()),
        ("DONE", Unknown("DONE")),
        ("7,7", Unknown("7,7")),
    ],
)
def test_one_line_commands(line: str, command: protocol.Command) -> None:
    assert parse(line) == (command, None)
    assert type(parse(line)[0]) is type(command)


@pytest.mark.parametrize("line", ["", "   ", "\r", "\t", "INFO", "INFO  "])
def test_lines_without_a_command(line: str) -> None:
    assert parse(line) == (None, None)


def test_a_list_ends_with_done_in_any_case() -> None:
    assert parsed("BOARD", "7,7,1", "8, 8, 2", "Done ") == [Board(((7, 7, 1), (8, 8, 2)), 0, answer=True)]
    assert parsed("yxboard", "7,7,1", "done") == [Board(((7, 7, 1),), 0, answer=False)]
    assert parsed("SWAP2BOARD", "1,1", "DONE") == [Swap2Board(((1, 1),), 0)]


def test_a_list_may_share_lines() -> None:
    assert parsed("BOARD 7,7,1 8,8,2 DONE") == [Board(((7, 7, 1), (8, 8, 2)), 0, answer=True)]
    assert parsed("BOARD 7,7,1", "8,8,2 DONE rest") == [Board(((7, 7, 1), (8, 8, 2)), 0, answer=True)]


def test_bad_entries_are_counted_and_the_list_stays_open() -> None:
    command, open_list = parse("7,7", OpenList("BOARD"))
    assert command is None and open_list == OpenList("BOARD", bad=1)
    assert parsed("BOARD", "hello", "x,y,z", "1,2,3,4", "START 20", "1,1,1", "DONE")[0] == Board(((1, 1, 1),), 5, True)


def test_info_and_end_are_heard_inside_a_list() -> None:
    assert parsed("BOARD", "INFO rule 4", "DONE") == [Info("rule", "4"), Board((), 0, answer=True)]
    assert parse("END", OpenList("BOARD")) == (protocol.End(), None)


def test_an_endless_list_is_cut_and_stays_quick() -> None:
    open_list: OpenList | None = OpenList("BOARD")
    for _ in range(5_000):
        _, open_list = parse("7,7,1", open_list)
    assert open_list is not None and (len(open_list.entries), open_list.bad) == (2048, 5_000 - 2048)


def test_only_yx_commands_show_a_yixin_manager() -> None:
    assert protocol.is_yixin("yxboard") and protocol.is_yixin(" YXSTOP")
    assert not protocol.is_yixin("ABOUT") and not protocol.is_yixin("")


def test_end_is_recognised_before_it_is_parsed() -> None:
    assert protocol.is_end(" end\r") and protocol.is_end("END now")
    assert not protocol.is_end("ENDGAME") and not protocol.is_end("") and not protocol.is_end("7,7,1 END")


def test_replies_are_one_line_of_ascii_whatever_the_text() -> None:
    for make in (protocol.error, protocol.unknown, protocol.message, protocol.debug):
        for text in ("", " ", "a\r\nb\x00\x1b", "\u4e94\u5b50\u68cb", "x" * 100_000, "%s%n"):
            line = make(text)
            assert line.isascii() and line.isprintable() and len(line) < 1100
            word, blank, rest = line.partition(" ")
            assert blank and rest and rest == rest.strip(" ") and word.isupper()


def test_moves_are_bare_numbers() -> None:
    assert protocol.move((0, 19)) == "0,19"
    assert protocol.moves([(1, 1), (2, 3)]) == "1,1 2,3"


def test_about_names_the_program_in_lower_case_keys() -> None:
    assert protocol.about("1.2") == 'name="Renga", version="1.2", author="Renga developers", license="MIT"'


def test_forbidden_cells_as_four_digits_each() -> None:
    assert protocol.forbid([]) == "FORBID ."
    assert protocol.forbid([(7, 12), (0, 3)]) == "FORBID 07120003."


def test_capabilities_give_the_hash_size_as_an_exponent() -> None:
    assert protocol.capabilities(2, 350 * 1024) == [
        "MESSAGE INFO MAX_THREAD_NUM 2",
        "MESSAGE INFO MAX_HASH_SIZE 18",
    ]


def test_blanks_in_a_list_cost_no_more_than_their_number() -> None:
    def seconds(line: str) -> float:
        began = time.process_time()
        parse(line, OpenList("BOARD"))
        return time.process_time() - began

    assert seconds(" " * 200_000) < 1.0
    assert seconds("7" + " \t" * 100_000 + "x") < 1.0
    assert parse("7 , 7\t,  1 8,8 ,2 DONE", OpenList("BOARD")) == (Board(((7, 7, 1), (8, 8, 2)), 0, True), None)


@pytest.mark.parametrize("word", ["database", "Info", "REALTIME", "swap2", "soosorv"])
def test_no_message_for_people_begins_like_one_for_yixin_board(word: str) -> None:
    assert protocol.message(f"{word} is gone") == f"MESSAGE - {word} is gone"
