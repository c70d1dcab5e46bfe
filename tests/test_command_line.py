"""Started by a person instead of a manager, it says what it is; a manager's pipes never hear of that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BRAIN = [sys.executable, "-m", "brain"]


def said(*arguments: str, **streams: object) -> str:
    done = subprocess.run(
        [*BRAIN, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, text=True,
        check=True, **streams,  # type: ignore[call-overload]
    )  # fmt: skip
    return done.stdout


def test_without_a_manager_it_explains_itself() -> None:
    words = said(stdin=subprocess.DEVNULL)
    assert words.startswith("Renga ") and "Piskvork" in words and "START 15" in words
    assert len(words.splitlines()) == 3


def test_a_file_with_nothing_in_it_is_no_manager_either(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with (tmp_path / "empty").open() as file:
        assert said(stdin=file) == said(stdin=subprocess.DEVNULL)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo terminals here")
def test_at_a_terminal_it_explains_itself_and_listens() -> None:
    ours, its = os.openpty()
    try:
        os.write(ours, b"START 15\nEND\n")
        words = said(stdin=its)
    finally:
        os.close(ours)
        os.close(its)
    assert words.startswith("Renga ") and words.endswith("\nOK\n")


def test_a_pipe_and_a_file_hear_answers_only(tmp_path: Path) -> None:
    assert said(input="START 15\nEND\n") == "OK\n"
    commands = tmp_path / "commands.txt"
    commands.write_text("START 15\nEND\n", encoding="ascii")
    with commands.open() as file:
        assert said(stdin=file) == "OK\n"


def test_coordinates_are_chosen_on_the_command_line() -> None:
    four = "BOARD 4,7,1 4,9,2 5,7,1 5,9,2 6,7,1 6,9,2 7,7,1 3,7,2 DONE"
    commands = f"START 15\nINFO timeout_turn 100\n{four}\nEND\n"
    for kind, label in (("letters", "I8"), ("numbers", "8,7")):
        message = said("--coordinates", kind, "--network", "off", input=commands).splitlines()[-2]
        assert message.endswith(f"| {label}")


def test_coordinates_that_there_are_not_are_complained_about() -> None:
    message, about = said("--coordinates", "roman", input="ABOUT\nEND\n").splitlines()
    assert message.startswith("MESSAGE ") and "'roman'" in message and "numbers" in message
    assert about.startswith("name=")
