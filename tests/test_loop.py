"""The loop over real pipes with scripted thinkers: who may do what during a search, and what happens when it breaks."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conversation import PATIENCE_S, Broken, Cheating, Hung, Patient, Quick, talking

from brain import loop as loop_module
from brain.clock import Timer
from brain.loop import MOST_WAITING, Loop
from brain.records import Analysis, Request
from brain.thinker import Thinker

POSITION = "BOARD 7,7,1 8,8,2 DONE"


@pytest.mark.parametrize("word", ["STOP", "YXSTOP", "INFO timeout_turn 0", "INFO time_left -1"])
def test_a_think_is_stopped_at_once(word: str) -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say(word)
        assert manager.reply() == "0,0"
        manager.say("END")
        assert manager.rest() == []


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        (["START 20"], "OK"),
        (["RECTSTART 9,11"], "OK"),
        (["RESTART"], "OK"),
        (["INFO timeout_turn 0", POSITION], "0,0"),
        (["SWAP2BOARD", "DONE"], None),
        (["START 100"], "ERROR no 100x100 board: use 20, or 5 to 32"),
    ],
)
def test_a_new_position_cancels_a_search_without_a_reply(words: list[str], reply: str | None) -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say(*words)
        answer = manager.reply()
        assert answer == reply or (reply is None and answer is not None and answer.count(" ") == 2)
        manager.say("END")
        assert manager.rest() == []


@pytest.mark.parametrize("stop", ["STOP", "YXSTOP"])
@pytest.mark.parametrize("words", [["START 20"], ["RESTART"], ["YXBOARD", "7,7,1", "DONE", "START 20"]])
def test_a_stopped_search_gives_its_move_before_anything_else_is_answered(stop: str, words: list[str]) -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say(stop, *words)
        assert [manager.reply(), manager.reply()] == ["0,0", "OK"]
        manager.say("END")
        assert manager.rest() == []


@pytest.mark.parametrize("words", [["START 20"], ["START 20", "BOARD", "DONE", "STOP"], ["RESTART"]])
def test_a_yixin_board_gets_the_move_of_a_search_that_it_interrupts(words: list[str]) -> None:
    with talking() as manager:
        manager.say("YXHASHCLEAR", POSITION)
        assert manager.silent()
        manager.say(*words)
        assert [manager.reply(), manager.reply()] == ["0,0", "OK"]
        manager.say("END")
        assert manager.rest() == (["10,10"] if "BOARD" in words else [])


def test_the_opening_line_of_a_list_already_cancels() -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say("BOARD")
        manager.say("INFO timeout_turn 0")
        assert manager.silent()
        manager.say("1,1,1", "2,2,2", "DONE")
        assert manager.reply() == "0,0"
        manager.say("END")


def test_other_requests_wait_for_the_reply_in_order() -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say("TURN 0,0", "TAKEBACK 8,8", "FOO", "PLAY 5,5", "TURN")
        assert manager.silent()
        manager.say("STOP")
        assert manager.reply() == "0,0"
        assert manager.reply() == "ERROR 0,0 is occupied"
        assert [manager.reply() for _ in range(4)] == ["OK", "UNKNOWN FOO", "5,5", "ERROR TURN needs x,y"]
        manager.say("END")


def test_requests_that_wait_are_answered_or_dropped_with_the_think() -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say("TURN 3,3", "FOO", "RESTART")
        assert [manager.reply(), manager.reply()] == ["UNKNOWN FOO", "OK"]
        manager.say("END")
        assert manager.rest() == []


def test_any_number_of_waiting_requests_is_dropped_with_the_think() -> None:
    with talking() as manager:
        manager.say("START 32", "TURN 31,31")
        assert [manager.reply(), manager.reply()] == ["OK", "16,16"]
        manager.say("TURN 31,30")
        assert manager.silent()
        manager.say(*(f"TURN {x},{y}" for x in range(31) for y in range(15)), "START 20")
        assert manager.reply() == "OK"
        manager.say("END")
        assert manager.rest() == []


def test_more_requests_than_anybody_has_are_refused_and_not_stored() -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        for _ in range(50):
            manager.say(*["FOO"] * (MOST_WAITING // 50 + 1))
        refused = manager.reply()
        assert refused is not None and refused.startswith("ERROR ")
        manager.say("STOP", "END")
        assert "UNKNOWN FOO" not in manager.rest()


def test_a_text_that_says_end_ends_nothing() -> None:
    with talking() as manager:
        manager.say('YXEDITTEXTDATABASE "the', "end", 'of it" 1,1 DONE', "YXSHOWFORBID")
        assert manager.reply() == "FORBID ."
        assert not manager.loop._pipe.leaving, "output is waited for as before"
        manager.say("END")


def test_about_answers_during_a_think() -> None:
    with talking() as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say("ABOUT", "INFO foo bar", "")
        line = manager.reply()
        assert line is not None and line.startswith('name="Renga"')
        manager.say("STOP")
        assert manager.reply() == "0,0"
        manager.say("END")


def test_end_prints_an_owed_move_once() -> None:
    with talking() as manager:
        manager.say(POSITION, "TURN 4,4")
        assert manager.silent()
        manager.say("END", "ABOUT")
        assert manager.rest() == ["0,0"]


def test_end_of_input_answers_everything_owed() -> None:
    with talking() as manager:
        manager.say(POSITION, "TURN 4,4", "FOO")
        manager.hang_up()
        assert manager.rest() == ["0,0", "1,0", "UNKNOWN FOO"]


def test_end_of_input_without_debts_is_silent() -> None:
    with talking() as manager:
        manager.say("BOARD", "7,7,1")
        manager.hang_up()
        assert manager.rest() == []


@pytest.mark.parametrize("thinker", [Broken, Cheating])
def test_a_bug_still_gives_a_legal_move_and_is_loud(thinker: type[Thinker]) -> None:
    log = io.StringIO()
    with talking(thinker, strict=False, log=log) as manager:
        manager.say(POSITION)
        line = manager.raw()
        assert line is not None and line.startswith("MESSAGE internal error")
        assert manager.reply() == "8,7"
        manager.say("SWAP2BOARD 1,1 2,3 4,4 DONE" if thinker is Broken else "ABOUT")
        assert manager.reply() is not None
        manager.say("END")
        assert manager.rest() == []
    assert "Traceback" in log.getvalue()


def test_strict_mode_raises() -> None:
    with pytest.raises(RuntimeError, match="a bug"), talking(Broken, strict=True) as manager:
        manager.say(POSITION)
        assert manager.rest() == []


def test_a_think_that_never_ends_is_answered_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "GRACE_S", 0.05)
    with talking(Hung, strict=False) as manager:
        manager.say("INFO timeout_turn 100", POSITION)
        line = manager.raw()
        assert line is not None and "did not stop in time" in line
        assert manager.reply() == "8,7"
        manager.say("START 20")
        assert manager.reply() == "OK"
        manager.say("END")
        Hung.release.set()
        assert manager.rest() == []


def test_a_search_of_a_process_that_was_stopped_as_a_whole_gets_the_time_to_notice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ahead = [0.0]

    class Stopped(Patient):
        """Awakes an hour late, and its search needs longer to stop than a late one gets."""

        def analyse(self, request: Request, timer: Timer | None = None, *arguments: object) -> Analysis:  # type: ignore[override]
            assert timer is not None
            ahead[0] = 3600.0
            while not timer.stopped:
                time.sleep(0.01)
            time.sleep(4 * loop_module.END_S)
            return super().analyse(request, timer)

    clock = SimpleNamespace(perf_counter=lambda: time.perf_counter() + ahead[0])
    monkeypatch.setattr(loop_module, "time", clock)
    monkeypatch.setattr(loop_module, "CANCEL_S", PATIENCE_S)
    with talking(Stopped, strict=False) as manager:
        manager.say("INFO timeout_turn 100", POSITION)
        line = manager.raw()
        assert line is not None and "internal error" not in line
        assert manager.reply() == "0,0"
        manager.say("END")
        assert manager.rest() == []


def test_strict_mode_waits_for_a_search_that_a_new_position_has_ended() -> None:
    class Late(Patient):
        def analyse(self, *arguments: object) -> Analysis:  # type: ignore[override]
            analysis = super().analyse(*arguments)  # type: ignore[arg-type]
            time.sleep(2 * loop_module.CANCEL_S)
            return analysis

    with talking(Late, strict=True) as manager:
        manager.say("YXHASHCLEAR", POSITION)
        assert manager.silent()
        manager.say("START 20")
        assert [manager.reply(), manager.reply()] == ["0,0", "OK"]
        manager.say("END")
        assert manager.rest() == []


def test_a_hung_think_cannot_keep_a_new_position_or_the_end_away() -> None:
    with talking(Hung, strict=False) as manager:
        manager.say(POSITION)
        manager.say("START 20")
        assert manager.reply() == "OK"
        manager.say(POSITION)
        manager.say("END")
        assert manager.rest() == ["8,7"]


def test_a_search_that_is_slow_to_stop_at_the_end_is_no_internal_error() -> None:
    with talking(Hung, strict=False) as manager:
        manager.say(POSITION)
        assert manager.silent()
        manager.say("END")
        assert [manager.raw(), manager.raw()] == ["8,7", None]


def test_the_depth_that_boards_draw_with_grows_from_block_to_block() -> None:
    depths: list[str] = []

    def read_until(begin: str) -> None:
        while not (line := manager.raw() or "").startswith(begin):
            depths.extend(line.split()[2:] if line.startswith("INFO DEPTH ") else [])

    with talking() as manager:
        manager.say("INFO show_detail 3")
        for request, reply in ((POSITION, "0,0"), ("TURN 14,14", "1,0")):
            manager.say(request)
            read_until("MESSAGE REALTIME BEST")
            manager.say("STOP")
            read_until(reply)
        manager.say("END")
    assert depths == ["5", "6"] * 2, "an update and the end of either search, which expected five plies all the time"


def test_one_thread_does_all_the_thinking() -> None:
    threads = set()

    class Watched(Quick):
        def analyse(self, *arguments: Any) -> Analysis:
            threads.add(threading.current_thread())
            return super().analyse(*arguments)

    with talking(Watched) as manager:
        for turn in ("TURN 3,3", "TURN 5,5", "TURN 7,7"):
            manager.say(turn)
            assert manager.reply() is not None
        manager.say("END")
        assert manager.rest() == []
    assert len(threads) == 1 and threading.current_thread() not in threads


@pytest.mark.parametrize("word", ["BEGIN", "TURN 7,7", "BOARD DONE"])
def test_a_move_known_by_heart_is_sent_before_anything_is_loaded(word: str) -> None:
    sent_before: list[str] = []
    log = io.StringIO()

    class Watched(Quick):
        def warm_up(self, rule: int, memory: int = 0) -> None:
            sent_before.extend(log.getvalue().splitlines()[-1:])
            raise RuntimeError("no network today")

    with talking(Watched, log=log) as manager:
        manager.say(word)
        move = manager.reply()
        manager.say("END")
        assert manager.rest() == []
    assert [line.split()[-1] for line in sent_before] == [move]


def test_messages_tell_people_how_the_think_went() -> None:
    with talking(Quick) as manager:
        manager.say(POSITION)
        assert manager.raw() == (
            "MESSAGE Depth 1-1 | Eval +M1 | Win 100.0% Draw 0.0% Loss 0.0% | Visits 1 | Speed 0/s | Time 0ms | A15"
        )
        assert manager.raw() == "0,0"
        manager.say("END")


def test_n_best_prints_ranked_lines_and_then_the_move() -> None:
    with talking() as manager:
        manager.say("YXBOARD 7,7,1 8,8,2 DONE", "YXNBEST 2")
        report = manager.raw()
        assert report is not None and report.startswith("MESSAGE Depth")
        manager.say("STOP")
        assert manager.raw() == "MESSAGE (1) +81 | 5-9 | A15 B15"
        assert manager.raw() == "MESSAGE (2) -M6 | 5-9 | B15"
        assert manager.raw() == "0,0"
        manager.say("END")


@pytest.mark.parametrize("position", ["YXBOARD DONE", "YXBOARD 7,7,1 8,8,2 DONE"])
def test_a_ranking_of_one_move_is_a_ranking(position: str) -> None:
    with talking(Quick) as manager:
        manager.say(position, "YXNBEST 1")
        assert manager.raw() == "MESSAGE (1) +M1 | 1-1 | A15"
        assert manager.raw() == "0,0"
        manager.say("END")


@pytest.mark.parametrize("detail", [0, 1, 2, 3])
def test_analysis_lines_only_where_they_were_asked_for(detail: int) -> None:
    with talking() as manager:
        manager.say(f"INFO show_detail {detail}", POSITION, "STOP")
        lines = []
        while (line := manager.raw()) is not None and line != "0,0":
            lines.append(line)
        asked = detail >= 2
        assert any(line.startswith("INFO ") for line in lines) == asked
        assert any(line.startswith("MESSAGE REALTIME") for line in lines) == asked
        manager.say("END")


def test_the_log_holds_both_sides_of_the_conversation() -> None:
    log = io.StringIO()
    with talking(Quick, log=log) as manager:
        manager.say("ABOUT", "END")
        manager.rest()
    text = log.getvalue()
    assert "< START 15" in text and "> OK" in text and "< END" in text


def test_a_full_disk_costs_the_log_and_not_the_game() -> None:
    class FullDisk(io.StringIO):
        def flush(self) -> None:
            raise OSError("no space left")

    with talking(Quick, log=FullDisk()) as manager:
        manager.say("TURN 7,7", "END")
        assert len(manager.rest()) == 1


def test_a_log_that_cannot_be_written_is_said_and_the_game_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "brain", "--log", str(tmp_path / "missing" / "log")]
    said = subprocess.run(command, input="START 15\nEND\n", capture_output=True, text=True, check=True)
    assert re.fullmatch(r"MESSAGE no log in '.*log': .+\nOK\n", said.stdout) and not said.stderr


def test_a_closed_output_ends_the_loop() -> None:
    input_fd, to_brain = os.pipe()
    from_brain, output_fd = os.pipe()
    os.close(from_brain)
    runner = threading.Thread(target=Loop(input_fd, output_fd).run, daemon=True)
    runner.start()
    os.write(to_brain, b"ABOUT\n")
    runner.join(PATIENCE_S)
    assert not runner.is_alive()


@pytest.mark.parametrize(("stones", "lines"), [("", 4), ("1,1 3,2 1,4", 1), ("1,1 3,2 1,4 7,7 8,9", 1)])
def test_swap2_says_what_it_sees_and_draws_nothing(stones: str, lines: int) -> None:
    with talking(Quick) as manager:
        manager.say("INFO show_detail 3", f"SWAP2BOARD {stones} DONE", "YXSHOWFORBID")
        said = []
        while (line := manager.raw()) is not None and not line.startswith("FORBID"):
            said.append(line)
        assert [line.split()[1] for line in said[:-1]] == ["Depth"] * lines
        manager.say("END")
