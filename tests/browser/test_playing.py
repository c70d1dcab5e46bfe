"""Games by clicks, and what a hand can do to the board."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Server
from tests.browser.pilot import Pilot, moves_of


def test_a_whole_renju_game_by_clicks_with_a_forbidden_point(pilot: Pilot) -> None:
    pilot.free_board("renju")
    pilot.click(*moves_of("h8a1h9a3i7c1g7e1"))
    pilot.page.wait_for_selector('[data-foul="h7"]')
    pilot.page.click('[data-point="h7"]')
    assert "h7 is forbidden" in pilot.wait_for_text("#toast", "forbidden")
    assert len(pilot.stones()) == 8
    pilot.click(*moves_of("h10a15h11c15"))
    pilot.click("h12")
    pilot.wait_for_text("#game-status", "Black has won.")
    pilot.page.wait_for_selector(".five", state="attached")
    pilot.page.click('[data-point="o15"]')
    assert len(pilot.stones()) == 13
    assert pilot.page.eval_on_selector_all(".candidate", "found => found.length") == 0


def test_a_game_against_the_engine_with_undo_hint_and_resignation(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.click("#start-game")
    pilot.click("h8")
    first = pilot.wait_for_stones(2)
    assert sorted(first.values()) == ["black", "white"]
    pilot.wait_for_text("#game-status", "Your move")
    pilot.page.click("#hint")
    assert re.search(r"^Hint: [a-o][0-9]+ \([0-9.]+ %\)$", pilot.wait_for_text("#hint-text", "Hint"))
    pilot.page.click("#undo")
    assert pilot.wait_for_stones(0) == {}
    pilot.click("g7")
    assert pilot.wait_for_stones(2)["g7"] == "black"
    pilot.wait_for_text("#game-status", "Your move")
    pilot.page.click("#resign")
    assert "Renga has won" in pilot.wait_for_text("#game-status", "resignation")
    pilot.tab("game")
    assert pilot.count(".variation") == 1, "what was taken back is still there as a variation"


def test_the_engine_begins_where_the_user_plays_white_and_the_clock_runs(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.click("[role=radio][data-value=white]")
    pilot.page.select_option("#strength", "clock")
    pilot.page.click("#start-game")
    pilot.wait_for_stones(1)
    pilot.wait_for_text("#game-status", "Your move")
    pilot.wait_for_text('[data-clock="white"]', "^4:5[0-9]$")
    pilot.click("a1")
    pilot.wait_for_stones(3)


def test_swap2_by_dialogue(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.click("[role=radio][data-value=white]")
    pilot.page.click("[role=radio][data-value=swap2]")
    pilot.page.click("#start-game")
    pilot.page.wait_for_selector("#swap2[data-phase=choose3]")
    assert len(pilot.stones()) == 3
    pilot.page.click("#two-more")
    pilot.click("a1", "c2")
    pilot.wait_for_text("#panel-play", "Renga takes (Black|White)")
    colour = "white" if "takes Black" in pilot.text("#panel-play") else "black"
    assert pilot.text(f'[data-player="{colour}"] .who').startswith("You")


def test_wheel_right_click_and_keys_walk_the_game(pilot: Pilot) -> None:
    pilot.free_board("freestyle")
    pilot.click(*moves_of("h8i9h9h10"))
    pilot.wheel("a1", -2)
    pilot.wait_for_stones(2)
    pilot.wheel("a1", 1)
    pilot.wait_for_stones(3)
    pilot.page.click('[data-point="a2"]', button="right")
    pilot.wait_for_stones(2)
    for key, count in [("Home", 0), ("ArrowRight", 1), ("End", 4), ("ArrowLeft", 3), ("z", 2), ("End", 4)]:
        pilot.key(key)
        pilot.wait_for_stones(count)
    pilot.key("m")
    pilot.page.wait_for_selector(".stone .number")
    pilot.key("c")
    pilot.page.wait_for_selector(".coordinate", state="detached")
    pilot.key("?")
    pilot.page.wait_for_selector("#help-dialog[open]")
    pilot.page.click("#close-help")


def test_the_keyboard_alone_places_a_stone(pilot: Pilot) -> None:
    pilot.free_board("freestyle")
    pilot.page.focus("#board")
    for key in ["Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowLeft", "Enter"]:
        pilot.key(key)
    assert pilot.wait_for_stones(1) == {"g9": "black"}


def test_a_stone_is_there_within_60_ms_of_the_click(pilot: Pilot) -> None:
    pilot.free_board("renju")
    pilot.click("h8", "a1")
    script = """async point => {
        const target = document.querySelector(`[data-point="${point}"]`);
        const start = performance.now();
        target.dispatchEvent(new PointerEvent("click", { bubbles: true, pointerType: "mouse" }));
        while (!document.querySelector(`[data-stone="${point}"]`)) await new Promise(requestAnimationFrame);
        return performance.now() - start;
    }"""
    pilot.page.wait_for_timeout(300)
    times = sorted(pilot.page.evaluate(script, point) for point in ("i9", "a3", "g7", "c1", "i7"))
    assert times[0] < 60, "the fastest of five: the machine may have other work"


def test_reload_in_mid_game_brings_everything_back(pilot: Pilot) -> None:
    pilot.tab("play")
    pilot.page.click("#start-game")
    pilot.click("h8")
    pilot.wait_for_stones(2)
    pilot.wait_for_text("#game-status", "Your move")
    before = pilot.stones()
    pilot.page.wait_for_timeout(500)
    pilot.page.reload()
    assert pilot.wait_for_stones(2) == before
    pilot.wait_for_text("#game-status", "Your move")
    pilot.click("a1")
    pilot.wait_for_stones(4)


def test_two_tabs_are_two_games(pilot: Pilot, server: Server) -> None:
    pilot.free_board("freestyle")
    pilot.click("h8")
    other = pilot.open(server.address)
    other.click('[data-point="a1"]')
    other.wait_for_selector('[data-stone="a1"]')
    assert "a1" not in pilot.stones()
    pilot.click("h9")
    pilot.tab("analyse")
    pilot.page.click("#analyse")
    pilot.page.wait_for_selector(".candidate")
    other.click("#tab-analyse")
    other.click("#analyse")
    other.wait_for_selector(".candidate")
    pilot.wait_for_text("#analysis-status", "another tab")
    other.close()


def test_taps_are_confirmed_on_a_phone(browser, server: Server) -> None:
    window = Pilot(browser, server.address, 390, 844, has_touch=True, is_mobile=True)
    window.free_board("freestyle")
    point = window.page.locator('[data-point="h8"]')
    point.tap()
    window.page.wait_for_selector(".waiting")
    assert window.stones() == {}
    point.tap()
    assert window.wait_for_stones(1) == {"h8": "black"}
    for tab in ("play", "analyse", "review", "game"):
        window.tab(tab)
        width = window.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, "nothing hangs over the edge of a phone"
    window.close()
    assert window.errors == []


@pytest.mark.parametrize("size", [5, 20, 32])
def test_other_sizes_are_whole_boards(pilot: Pilot, size: int) -> None:
    pilot.free_board("standard", size)
    assert pilot.count("[data-point]") == size * size
    corner = {5: "e5", 20: "t20", 32: "af32"}[size]
    pilot.click("a1", corner)
    assert set(pilot.stones()) == {"a1", corner}
    label = pilot.page.locator(".coordinate").first.bounding_box()
    assert label is not None and label["height"] >= 12, "coordinates can be read on large boards, too"


def test_a_4k_window_shows_the_board_whole_and_large(browser, server: Server) -> None:
    window = Pilot(browser, server.address, 3840, 2160)
    box = window.page.locator("#board").bounding_box()
    assert box["y"] + box["height"] <= 2160
    assert box["height"] > 1800
    window.close()
