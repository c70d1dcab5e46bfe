"""An analysis as people and boards read it."""

from __future__ import annotations

import pytest

import cython_core as core
from brain import display
from brain.notation import LETTERS
from brain.records import Analysis, Line

H8, I9 = core.cell(7, 7), core.cell(8, 6)
EVEN = Line(H8, 0.5, 0.2, 0.3, 2000, None, (H8, I9))
WON = Line(I9, 1.0, proof=5)
ANALYSIS = Analysis((EVEN, WON), 2000, 2.0, 1000.0, 8, 15)


def test_evaluations() -> None:
    assert display.evaluation(EVEN) == "+0" == display.evaluation(Line(H8, 0.7, proof=0))
    assert display.evaluation(Line(H8, 0.0)) == "-1842" and display.evaluation(Line(H8, 1.0)) == "+1842"
    assert display.evaluation(WON) == "+M5" and display.evaluation(Line(H8, 0.0, proof=-6)) == "-M6"


def test_labels_count_rows_from_the_bottom() -> None:
    assert LETTERS.labels(((7, 7), (0, 14), (14, 0)), 15) == "H8 A1 O15"
    assert LETTERS.label((31, 31), 32) == "AF1"


def test_progress_shows_win_draw_and_loss_of_the_best_line() -> None:
    assert display.progress(ANALYSIS, 15) == (
        "MESSAGE Depth 8-15 | Eval +0 | Win 40.0% Draw 20.0% Loss 40.0%"
        " | Visits 2000 | Speed 1000/s | Time 2000ms | H8 I9"
    )


@pytest.mark.parametrize(("value", "draw"), [(0.5, 0.2), (0.05, 0.4), (1.0, 0.3), (0.0, 0.0), (0.7, 0.6)])
def test_win_draw_and_loss_are_shares_that_make_up_the_value(value: float, draw: float) -> None:
    win, drawn, lost = Line(H8, value, draw).wdl
    assert min(win, drawn, lost) >= 0 and win + drawn + lost == pytest.approx(1)
    assert win + drawn / 2 == pytest.approx(value)


def test_a_ranking_has_a_line_for_every_move() -> None:
    assert display.ranking(ANALYSIS, 15) == ["MESSAGE (1) +0 | 8-15 | H8 I9", "MESSAGE (2) +M5 | 8-15 | I9"]


def test_boards_get_a_block_for_every_line_all_of_one_depth() -> None:
    lines = display.detail(ANALYSIS, 18)
    numbered = [line for line in lines if "PV" in line]
    assert numbered[:3] == ["INFO NUMPV 2", "INFO PV 0", "INFO PV DONE"]
    assert numbered[3:] == ["INFO NUMPV 2", "INFO PV 1", "INFO PV DONE"]
    assert lines.count("INFO DEPTH 18") == lines.count("INFO SELDEPTH 18") == 2
    assert "INFO BESTLINE 7,7 8,6" in lines and "INFO BESTLINE 8,6" in lines and "INFO EVAL +M5" in lines
    assert lines[-2:] == ["MESSAGE REALTIME REFRESH", "MESSAGE REALTIME BEST 7,7"]
