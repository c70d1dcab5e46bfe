"""Hostile conversations: never a hang, never a death other than by END or the end of input, never two answers."""

from __future__ import annotations

import os

from conversation import Conversation, Patient, Quick
from hypothesis import given, settings
from hypothesis import strategies as st

cells = st.tuples(st.integers(-1, 16), st.integers(-1, 16)).map(lambda xy: f"{xy[0]},{xy[1]}")
stones = st.tuples(cells, st.integers(0, 4)).map(lambda stone: f"{stone[0]},{stone[1]}")


def listed(verb: str, entries: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(entries, max_size=8).map(lambda each: "\n".join((verb, *each, "DONE")))


requests = st.one_of(
    st.sampled_from(["BEGIN", "RESTART", "FOO", "YXSHOWFORBID", "START", "TURN", "TAKEBACK x", "DONE", "YXNBEST 3"]),
    st.integers(3, 35).map(lambda size: f"START {size}"),
    st.tuples(st.integers(4, 33), st.integers(4, 33)).map(lambda size: f"RECTSTART {size[0]},{size[1]}"),
    st.tuples(st.sampled_from(["TURN", "PLAY", "TAKEBACK"]), cells).map(" ".join),
    listed("BOARD", stones),
    listed("SWAP2BOARD", cells),
)
silent = st.one_of(
    st.sampled_from(["", "  ", "INFO", "INFO foo bar", "STOP", "YXSTOP", "YXHASHCLEAR", "INFO evaluate 1,1"]),
    st.tuples(
        st.sampled_from(["timeout_turn", "timeout_match", "time_left", "max_memory", "rule", "show_detail"]),
        st.one_of(st.integers(-(2**33), 2**65), st.integers(-2, 16)),
    ).map(lambda pair: f"INFO {pair[0]} {pair[1]}"),
)
NAME = 'name="Renga"'


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(requests.map(lambda text: (text, 1)), silent.map(lambda text: (text, 0))), max_size=20))
def test_every_request_gets_exactly_one_answer(conversation: list[tuple[str, int]]) -> None:
    manager = Conversation(Quick, strict=True, log=None)
    for text, answers in conversation:
        manager.say(text)
        if answers:
            line = manager.reply()
            assert line is not None and not line.startswith(NAME), (text, manager.error)
        manager.say("ABOUT")
        following = manager.reply()
        assert following is not None and following.startswith(NAME), (text, following, manager.error)
    manager.say("END")
    assert manager.rest() == []
    assert manager.error is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.binary(max_size=40), requests.map(str.encode), silent.map(str.encode)), max_size=15),
    st.sampled_from([b"\n", b"\r\n"]),
    st.floats(0, 1),
)
def test_truncated_conversations_and_noise_end_cleanly(pieces: list[bytes], newline: bytes, part: float) -> None:
    data = newline.join(pieces)
    data = data[: round(part * len(data)) + 1]
    manager = Conversation(Quick, strict=True, log=None)
    sent = 0
    while sent < len(data):
        sent += os.write(manager._to_brain, data[sent:])
    manager.hang_up()
    answers = manager.rest()
    assert manager.error is None
    assert len(answers) <= data.count(b"\n") + 1
    assert not manager.runner.is_alive()


interruptions = st.tuples(
    st.sampled_from(["BOARD 7,7,1 8,8,2 DONE", "TURN 3,3", "YXNBEST 2"]),
    st.sampled_from(["", "STOP", "yxstop"]),
    st.sampled_from(["START 15", "RESTART", "start 20"]),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(interruptions, min_size=1, max_size=6), st.booleans())
def test_searches_that_are_interrupted_at_once_owe_a_move_only_where_somebody_waits(
    steps: list[tuple[str, str, str]], yixin: bool
) -> None:
    """Everything in one write: the replies must come in this order all the same."""
    lines, wanted = ["START 15", "INFO timeout_turn 60000"], ["OK"]
    if yixin:
        lines.append("YXHASHCLEAR")
    for request, stop, position in steps:
        # Two stones, so that no move is known by heart.
        lines += ["YXBOARD 1,1,1 2,2,2 DONE" if yixin else "PLAY 1,1", request, stop, position]
        wanted += [] if yixin else ["1,1"]
        yixin = yixin or request == "YXNBEST 2" or stop == "yxstop"
        wanted += ["0,0"] * (yixin or stop != "") + ["OK"]
    manager = Conversation(Patient, strict=True, log=None)
    manager.say(*lines, "END")
    assert manager.rest() == wanted
    assert manager.error is None
