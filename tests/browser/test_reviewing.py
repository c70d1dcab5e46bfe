"""A review finds a planted blunder and a missed win, keeps what it found, and makes a puzzle of it."""

from __future__ import annotations

from pathlib import Path

import renga
from tests.browser.conftest import Server
from tests.browser.pilot import Pilot, moves_of

BLUNDERED = "h8i9h9h7i8g8h10h11i10a1j10k10"
"""White's a1 (move 10) answers nothing: the planted blunder."""
MISSED = "h8a1h9a3h10c1a15e1"
"""Black has an open three and plays a15 (move 7) instead of the open four: a missed win."""


def review(pilot: Pilot) -> None:
    pilot.tab("review")
    pilot.page.fill("#review-seconds", "0.3")
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.page.click("#start-review")
    pilot.page.wait_for_selector("#review-progress")
    pilot.page.wait_for_selector("#start-review", timeout=120_000)


def test_a_planted_blunder_is_found_and_jumped_to(pilot: Pilot) -> None:
    pilot.load(BLUNDERED)
    review(pilot)
    assert pilot.count('.graded[data-ply="10"]') == 1, pilot.text("#mistakes")
    assert pilot.count("#graph .curve") == 1
    plies = pilot.page.eval_on_selector_all(".graded", "found => found.map(one => one.dataset.ply)")
    assert plies == sorted(plies, key=int)
    pilot.key("Home")
    pilot.wait_for_stones(0)
    for ply in plies:
        pilot.key("n")
        pilot.page.wait_for_selector(f'.graded.here[data-ply="{ply}"]')
        assert len(pilot.stones()) == int(ply)
    for ply in reversed(plies[:-1]):
        pilot.key("N")
        pilot.page.wait_for_selector(f'.graded.here[data-ply="{ply}"]')


def test_a_review_under_way_does_not_claim_that_there_are_no_mistakes(pilot: Pilot) -> None:
    pilot.load("h8i9h9h7")
    pilot.tab("review")
    pilot.page.click("#start-review")
    pilot.wait_for_text("#review-status", "^[1-3] of 5 positions")
    assert "No mi" not in pilot.text("#panels")
    assert pilot.text("#no-mistakes") == "None so far."
    pilot.page.click("#stop-review")


def test_evaluations_are_saved_in_the_sgf_and_shown_again_without_a_search(
    pilot: Pilot, browser, server: Server, tmp_path: Path
) -> None:
    pilot.load(MISSED)
    review(pilot)
    found = pilot.text("#mistakes")
    assert "Missed win" in found
    pilot.tab("game")
    path = pilot.save("#save-sgf", tmp_path)
    game = renga.read_game(path)
    assert all(node.evaluation is not None for node in game.main_line())
    assert game.main_line()[5].evaluation.mate is not None

    other = Pilot(browser, server.address)
    other.page.set_input_files("#file", path)
    other.wait_for_stones(8)
    other.tab("review")
    other.page.wait_for_selector(".graded.missed")
    assert other.text("#mistakes") == found
    other.close()


def test_the_move_that_the_review_itself_would_play_is_no_mistake(pilot: Pilot, tmp_path: Path) -> None:
    """A search after the best move may think less of it; there was nothing better to play."""
    path = tmp_path / "played-best.sgf"
    path.write_text(
        "(;FF[4]GM[4]SZ[15]RG[win=0.6 visits=9 pv=h8]"
        ";B[hh]RG[win=0.6 visits=9 pv=i9];W[ig]RG[win=0.75 visits=9 pv=g9];B[aa]RG[win=0.4 visits=9 pv=h7])"
    )
    pilot.page.set_input_files("#file", path)
    pilot.wait_for_stones(3)
    pilot.tab("review")
    pilot.page.wait_for_selector(".graded")
    plies = pilot.page.eval_on_selector_all(".graded", "found => found.map(one => one.dataset.ply)")
    assert plies == ["3"]  # i9 was the review's own choice; a15 was not


def test_a_loss_is_written_so_that_it_agrees_with_its_grade(pilot: Pilot, tmp_path: Path) -> None:
    """9.96 % is no mistake, which begins at 10 %."""
    path = tmp_path / "inaccurate.sgf"
    path.write_text("(;FF[4]GM[4]SZ[15]RG[win=0.6 visits=9 pv=g8];B[hh]RG[win=0.5004 visits=9 pv=i9])")
    pilot.page.set_input_files("#file", path)
    pilot.wait_for_stones(1)
    pilot.tab("review")
    assert "9.9 %" in pilot.text(".graded.inaccuracy")


def test_a_missed_win_becomes_a_puzzle_that_is_solved_against_the_engine(pilot: Pilot) -> None:
    pilot.load(MISSED)
    review(pilot)
    pilot.page.click('[data-puzzle="0"]')
    pilot.page.wait_for_selector("#puzzle-status[data-status=yours]")
    assert len(pilot.wait_for_stones(6)) == 6
    pilot.click("o1")
    pilot.page.wait_for_selector("#puzzle-status[data-status=slipped]")
    pilot.page.click("#puzzle-again")
    pilot.wait_for_stones(6)
    pilot.click("h11")
    pilot.page.wait_for_selector("#puzzle-status[data-status=yours]")
    stones = pilot.wait_for_stones(8)
    pilot.click("h12" if "h12" not in stones else "h7")
    pilot.page.wait_for_selector("#puzzle-status[data-status=solved]")
    pilot.page.click("#puzzle-leave")
    assert list(pilot.wait_for_stones(8)) == moves_of(MISSED)
    assert pilot.count(".graded.missed") == 1, "the game is as it was"


def test_a_puzzle_goes_on_after_another_search_interrupted_its_defender(pilot: Pilot) -> None:
    pilot.load(MISSED)
    review(pilot)
    pilot.page.click('[data-puzzle="0"]')
    pilot.page.wait_for_selector("#puzzle-status[data-status=yours]")
    pilot.page.click('[data-point="o1"]')
    pilot.page.wait_for_selector("#puzzle-status[data-status=checking]")
    pilot.key(" ")
    pilot.page.wait_for_selector("#puzzle-status[data-status=interrupted]")
    pilot.key(" ")
    assert len(pilot.stones()) == 7, "the user's stone still lies"
    pilot.page.click("#puzzle-ask")
    pilot.page.wait_for_selector("#puzzle-status[data-status=slipped]")
    assert len(pilot.stones()) == 8


def test_the_better_line_of_a_mistake_is_shown_on_the_board(pilot: Pilot) -> None:
    pilot.load(MISSED)
    review(pilot)
    pilot.page.click('.graded[data-ply="7"]')
    assert pilot.page.text_content('[data-sign="a15"]') == "W?"
    pilot.page.click("#better-line")
    pilot.page.wait_for_timeout(200)
    assert pilot.previewed()[0] == "h11", "also when the list has moved under the pointer"
    assert len(pilot.stones()) == 6, "it begins where the mistake was made"
    pilot.key("n")
    pilot.page.wait_for_selector('.graded.here[data-ply="7"]')
    assert pilot.previewed() == []


def test_a_review_goes_on_after_a_search_in_the_foreground(pilot: Pilot) -> None:
    pilot.load(MISSED)
    pilot.tab("review")
    pilot.page.fill("#review-seconds", "1")
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.page.click("#start-review")
    pilot.page.wait_for_selector("#review-progress")
    pilot.key(" ")
    pilot.page.wait_for_selector(".candidate.best")
    pilot.key(" ")
    pilot.page.wait_for_selector("#start-review", timeout=120_000)
    assert pilot.count(".graded.missed") == 1


def test_dragging_on_the_graph_jumps(pilot: Pilot) -> None:
    pilot.load(MISSED)
    pilot.tab("review")
    box = pilot.page.locator("#graph").bounding_box()
    assert box is not None
    pilot.page.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + 30)
    pilot.page.mouse.down()
    pilot.page.mouse.move(box["x"] + box["width"] * 0.09, box["y"] + 30, steps=5)
    pilot.page.mouse.up()
    assert pilot.wait_for_stones(0) == {}
