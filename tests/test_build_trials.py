"""What a product must pass before anyone gets it: the trials find what is wrong, and pass what is right."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from freeze import people, trial
from freeze.plan import ROOT, parse
from freeze.talk import MOVE, Talk, TalkError

# The engine, on a stand-in that answers like a brain

STAND_IN = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "END": sys.exit({code})
    print({{"ABOUT": 'name="Renga"', "START": "OK", "DONE": "MESSAGE hm\\n{move}"}}.get(word, ""), flush=True)
"""


def stand_in(move: str = "7,7", code: int = 0) -> list[str]:
    return [sys.executable, "-c", STAND_IN.format(move=move, code=code)]


def test_first_words_accept_a_proper_brain() -> None:
    trial.first_words(stand_in())


@pytest.mark.parametrize(("move", "code", "complaint"), [("no idea", 0, "no idea"), ("7,7", 3, "exit code 3")])
def test_first_words_refuse_a_bad_one(move: str, code: int, complaint: str) -> None:
    with pytest.raises(TalkError, match=complaint):
        trial.first_words(stand_in(move, code))


def test_a_program_that_dies_is_quoted() -> None:
    with (
        Talk([sys.executable, "-c", "raise SystemExit('DLL load failed')"]) as talk,
        pytest.raises(TalkError, match="DLL load failed"),
    ):
        talk.expect(MOVE)


def test_a_brain_that_answers_too_early_was_not_thinking() -> None:
    with Talk(stand_in()) as talk:
        talk.expect_silence(0.2)
        talk.send("DONE")
        with pytest.raises(TalkError, match="7,7"):
            talk.expect_silence(10.0)


def test_trials_leave_nothing_of_a_killed_onefile_build_behind(tmp_path: Path) -> None:
    paths = ["--dist", str(tmp_path / "dist"), "--cache", str(tmp_path / "cache")]
    plan = parse(["--onefile", *paths], platform="linux")
    outside = Path(tempfile.gettempdir())
    with trial.own_temporary_folder(plan, []):
        inside = Path(tempfile.gettempdir())
        assert inside != outside and os.environ["TMPDIR"] == str(inside)
        (inside / "_MEI123").mkdir()
        (inside / "_MEI123" / "library").touch()
        assert trial.unpacked_folders(plan) == {inside / "_MEI123"}
    assert not inside.exists()
    assert Path(tempfile.gettempdir()) == outside


def test_waiting_has_a_limit_and_leaves_no_process() -> None:
    with (
        Talk([sys.executable, "-c", "import time; time.sleep(60)"]) as talk,
        pytest.raises(TalkError, match="no answer"),
    ):
        talk.expect(MOVE, seconds=0.1)
    assert talk.process.poll() is not None


# The program for people, on the source tree and on stand-ins

RENGA = [sys.executable, "-m", "renga"]


def test_the_commands_of_the_source_tree_pass_their_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    people.commands_answer(RENGA)


def test_the_board_passes_its_trials_without_openssl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copy(ROOT / "freeze" / "plain_ssl.py", tmp_path / "ssl.py")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    people.board_is_served(RENGA, list)
    people.board_ends_at_an_interrupt(RENGA, list)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("print('{\"lines\": []}')", "no moves"),
        ("raise SystemExit('DLL load failed')", "DLL load failed"),
    ],
)
def test_commands_that_fail_are_quoted(script: str, complaint: str) -> None:
    with pytest.raises(TalkError, match=complaint):
        people.commands_answer([sys.executable, "-c", script])


def test_a_board_that_ends_is_quoted() -> None:
    with pytest.raises(TalkError, match="no such socket"):
        people.board_is_served([sys.executable, "-c", "raise SystemExit('no such socket')"], list)


def test_an_engine_that_outlives_its_board_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "GONE_S", 0.0)
    with pytest.raises(TalkError, match="4711"):
        people.wait_until_gone(lambda: [4711])
