"""Users who change their mind: they walk back in an opening, leave the editor, a puzzle or a review, stop a search."""

from __future__ import annotations

import time
from pathlib import Path

import renga
from tests.browser.pilot import Pilot, moves_of

MISSED = "h8a1h9a3h10c1a15e1"
"""Black has an open three and plays a15 (move 7) instead of the open four: a missed win."""


def focused(pilot: Pilot) -> str:
    pilot.page.wait_for_timeout(200)
    return str(pilot.page.evaluate("document.activeElement.id || document.activeElement.dataset.value"))


def start_swap2(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.click("[role=radio][data-value=swap2]")
    pilot.page.click("#start-game")
    pilot.page.wait_for_selector("#swap2[data-phase=place3]")


def test_an_opening_stone_may_be_placed_anew(pilot: Pilot) -> None:
    start_swap2(pilot)
    pilot.click("h8")
    pilot.key("ArrowLeft")
    pilot.wait_for_stones(0)
    pilot.wait_for_text("#swap2", "3 left")
    pilot.click("i9", "i8")
    pilot.wait_for_text("#swap2", "1 left")
    pilot.click("d4")
    pilot.key("ArrowLeft")  # while Renga considers the three stones
    pilot.wait_for_text("#panel-play", "Renga takes (Black|White)|Renga placed two more")
    assert list(pilot.stones())[:3] == ["i9", "i8", "d4"]


def test_an_opening_goes_on_after_a_reload(pilot: Pilot) -> None:
    start_swap2(pilot)
    pilot.click("h8")
    pilot.page.wait_for_timeout(500)
    pilot.page.reload()
    pilot.wait_for_text("#swap2", "2 left")
    pilot.click("i9", "d4")
    pilot.wait_for_text("#panel-play", "Renga takes (Black|White)|Renga placed two more")


def test_nothing_is_taken_back_before_the_users_first_move(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.click("[role=radio][data-value=white]")
    pilot.page.click("#start-game")
    pilot.wait_for_stones(1)
    pilot.wait_for_text("#game-status", "Your move")
    assert pilot.page.is_disabled("#undo")
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.key("z")
    pilot.click("a1")
    pilot.wait_for_stones(3)


def test_a_game_of_both_sides_goes_on_after_its_last_move_was_taken_back(pilot: Pilot) -> None:
    pilot.free_board("freestyle")
    pilot.click(*moves_of("h8a1h9a2h10a3h11a4h12"))
    pilot.wait_for_text("#game-status", "Black has won")
    pilot.page.click("#undo")
    pilot.wait_for_text("#game-status", "Black to move")


def test_a_new_game_ends_the_editor(pilot: Pilot) -> None:
    pilot.load("h8i9")
    pilot.page.click("#edit")
    pilot.page.wait_for_selector("#edit-done")
    pilot.free_board("freestyle")
    pilot.click("c3", "d4")
    assert pilot.stones() == {"c3": "black", "d4": "white"}
    pilot.tab("game")
    assert pilot.page.locator("#edit-done").is_hidden()


def test_the_game_comes_back_when_a_puzzle_is_left_by_another_tab(pilot: Pilot) -> None:
    pilot.load(MISSED)
    pilot.tab("review")
    pilot.page.fill("#review-seconds", "0.1")
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.page.click("#start-review")
    pilot.page.wait_for_selector('[data-puzzle="0"]')
    pilot.page.wait_for_selector("#start-review", timeout=120_000)
    for _ in range(8):
        pilot.key("ArrowLeft")
    pilot.key("n")
    pilot.page.wait_for_selector("[data-better]", state="attached")
    before = pilot.stones()
    pilot.page.click('[data-puzzle="0"]')
    pilot.wait_for_stones(6)
    pilot.tab("game")
    assert pilot.wait_for_stones(len(before)) == before
    pilot.page.click("#rotate")
    pilot.page.wait_for_function("() => document.querySelectorAll('#tree .ply').length === 9")


def test_a_review_ends_with_its_game(pilot: Pilot) -> None:
    pilot.load(MISSED)
    pilot.tab("review")
    pilot.page.click("#start-review")
    pilot.page.wait_for_selector("#review-progress")
    pilot.load("h8i9")
    pilot.tab("review")
    pilot.page.wait_for_selector("#start-review")
    assert pilot.count("#review-progress") == 0


def test_the_keyboard_keeps_its_place_in_the_form(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.focus("#level")
    pilot.key("ArrowRight")
    assert focused(pilot) == "level"
    pilot.key("ArrowRight")
    assert pilot.page.input_value("#level") == "6"
    pilot.page.focus("#width")
    pilot.page.fill("#width", "19")
    pilot.key("Tab")
    assert focused(pilot) == "height"
    assert pilot.page.input_value("#height") == "19"
    pilot.page.keyboard.type("17")
    assert pilot.page.input_value("#height") == "17"
    pilot.page.focus("[role=radio][data-value=white]")
    pilot.key("Enter")
    assert focused(pilot) == "white"


def test_a_hint_is_seen_on_the_board_whatever_tab_is_open(pilot: Pilot) -> None:
    pilot.load("h8i9")
    pilot.key("h")
    pilot.page.wait_for_selector(".candidate.best")
    pilot.key("ArrowLeft")
    pilot.page.wait_for_selector(".candidate", state="detached")


def test_escape_stops_the_balance_finder(pilot: Pilot) -> None:
    pilot.load("h8i9")
    pilot.tab("analyse")
    pilot.key("b")
    pilot.wait_for_text("#balance", "Looking for even moves")
    pilot.key("Escape")
    pilot.page.wait_for_function("() => !/Looking/.test(document.querySelector('#balance').textContent)", timeout=1500)
    pilot.page.wait_for_timeout(4000)
    assert pilot.count("#balance-found") == 0


def test_a_search_of_the_users_that_interrupts_renga_is_said(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.select_option("#strength", "time")
    pilot.page.fill("#seconds", "6")
    pilot.page.click("#start-game")
    pilot.click("h8")
    pilot.wait_for_stones(2)
    pilot.wait_for_text("#game-status", "Your move")
    pilot.click("a1")
    pilot.wait_for_text("#game-status", "thinking")
    pilot.page.wait_for_timeout(1000)
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.key(" ")
    pilot.wait_for_text("#game-status", "you asked for another search")
    pilot.key("Escape")
    pilot.page.click("#retry")
    pilot.wait_for_stones(4)


def test_the_wheel_and_the_arrows_walk_the_proof(pilot: Pilot) -> None:
    pilot.load("h8a1h9a2i8a14")
    pilot.tab("analyse")
    pilot.page.click("#find-win")
    pilot.page.click("#walk-proof")
    pilot.wait_for_count(".layer-over .ghost", 1)
    pilot.wheel("o1", 1)
    pilot.wait_for_count(".layer-over .ghost", 3)
    pilot.key("ArrowRight")
    pilot.wait_for_count(".layer-over .ghost", 5)
    pilot.page.click('[data-point="o1"]', button="right")
    pilot.wait_for_count(".layer-over .ghost", 3)
    pilot.key("ArrowLeft")
    pilot.wait_for_count(".layer-over .ghost", 1)
    pilot.key("ArrowLeft")
    pilot.page.wait_for_selector("#walk-proof")
    assert len(pilot.stones()) == 6, "the game stands where it stood"


def test_the_arrows_walk_the_game_after_a_tab_was_clicked(pilot: Pilot) -> None:
    pilot.load("h8i9h9")
    pilot.tab("analyse")
    pilot.key("ArrowLeft")
    pilot.wait_for_stones(2)
    assert pilot.attribute("#tab-analyse", "aria-selected") == "true"


def test_the_list_of_moves_grows_and_branches(pilot: Pilot) -> None:
    pilot.load("h8i9")
    pilot.click("h9", "h10")
    plies = "elements => elements.map(one => one.textContent)"
    assert pilot.page.eval_on_selector_all("#tree > .ply", plies) == ["Start", "1h8", "2i9", "3h9", "4h10"]
    pilot.key("ArrowLeft")
    pilot.key("ArrowLeft")
    pilot.wait_for_stones(2)
    pilot.click("j7", "k6")
    assert pilot.page.eval_on_selector_all(".variation .ply", plies) == ["3j7", "4k6"]
    pilot.page.fill("#comment", "a word")
    pilot.page.wait_for_selector(".variation .ply.here .talk")
    assert pilot.page.eval_on_selector_all("#tree > .ply", plies) == ["Start", "1h8", "2i9", "3h9", "4h10"]


def test_a_touchpad_does_not_race_through_the_game(pilot: Pilot) -> None:
    pilot.load("h8i9h9h7i8g8j7")
    pilot.hover("a1")
    for _ in range(12):
        pilot.page.mouse.wheel(0, -10)
    pilot.page.wait_for_timeout(300)
    assert len(pilot.stones()) == 5, "120 pixels are two notches of a wheel"


def test_a_played_game_is_saved_with_its_players_and_its_result(pilot: Pilot, tmp_path: Path) -> None:
    pilot.tab("play")
    pilot.page.click("#start-game")
    pilot.click("h8")
    pilot.wait_for_stones(2)
    pilot.wait_for_text("#game-status", "Your move")
    pilot.page.click("#resign")
    pilot.wait_for_text("#game-status", "resignation")
    pilot.tab("game")
    assert pilot.text("#standing") == "White has won"
    assert "You \N{EN DASH} Renga, level 4" in pilot.text("#names")
    game = renga.read_game(pilot.save("#save-sgf", tmp_path))
    assert (game.black, game.white, game.result) == ("You", "Renga, level 4", "W+R")
    assert game.date == time.strftime("%Y-%m-%d", time.gmtime())


def test_a_tab_opens_at_its_top(pilot: Pilot) -> None:
    pilot.page.set_viewport_size({"width": 844, "height": 390})
    pilot.tab("game")
    pilot.page.locator("#save-svg").scroll_into_view_if_needed()
    pilot.tab("analyse")
    box = pilot.page.locator("#analyse").bounding_box()
    tabs = pilot.page.locator("#tabs").bounding_box()
    assert box is not None and tabs is not None
    assert box["y"] >= tabs["y"] + tabs["height"]
