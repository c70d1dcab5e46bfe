"""Any line at all: parsing never fails, replies never leave printable ASCII."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from brain import protocol
from brain.settings import KEYS, Settings, informed

VERBS = ["START", "RECTSTART", "TURN", "PLAY", "TAKEBACK", "BOARD", "YXBOARD", "SWAP2BOARD", "INFO", "DONE", "END"]

words = st.one_of(
    st.sampled_from(VERBS),
    st.text(max_size=12),
    st.integers().map(str),
    st.lists(st.one_of(st.integers(-40, 40).map(str), st.text(max_size=3)), max_size=5).map(",".join),
)
lines = st.one_of(st.text(), st.lists(words, max_size=6).map(" ".join))


@given(st.lists(lines, max_size=12))
def test_every_conversation_parses(conversation: list[str]) -> None:
    open_list = None
    for line in conversation:
        command, open_list = protocol.parse(line, open_list)
        assert command is None or isinstance(command, get_args(protocol.Command))
        if open_list is not None:
            assert command is None or isinstance(command, protocol.Info)


@given(st.sampled_from([*KEYS, "foo"]), st.text())
def test_any_info_value_is_survived(key: str, value: str) -> None:
    settings = informed(Settings(), key, value)
    assert settings.rule in (0, 1, 4, 8, 9)
    assert settings.turn_ms >= 0 and settings.memory > 0 and settings.threads >= 1


@given(st.text())
def test_any_text_becomes_one_printable_line(text: str) -> None:
    for make in (protocol.error, protocol.unknown, protocol.message, protocol.debug):
        line = make(text)
        assert line.isascii() and line.isprintable() and line.count(" ") >= 1 and not line.endswith(" ")
