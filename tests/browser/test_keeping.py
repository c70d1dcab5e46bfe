"""Game trees, files, codes, pictures and the position editor."""

from __future__ import annotations

import struct
from pathlib import Path

import renga
from tests.browser.conftest import Server
from tests.browser.pilot import Pilot, moves_of


def test_sgf_goes_round_with_variations_comments_and_marks(pilot: Pilot, tmp_path: Path) -> None:
    pilot.free_board("renju")
    pilot.click(*moves_of("h8h9i10"))
    pilot.key("ArrowLeft")
    pilot.wait_for_stones(2)
    pilot.click("g9")
    pilot.tab("game")
    pilot.page.fill("#comment", "a quiet move [really]")
    pilot.page.click("[role=radio][data-value=triangle]")
    pilot.page.click('[data-point="a1"]')
    pilot.page.wait_for_selector('[data-mark="a1"]')
    pilot.page.click("[role=radio][data-value=none]")
    path = pilot.save("#save-sgf", tmp_path)
    game = renga.read_game(path)
    assert (game.rule, game.width) == ("renju", 15)
    main = game.main_line()
    assert [str(node.move) for node in main] == ["h8", "h9", "i10"]
    other = main[1].children[1]
    assert (str(other.move), other.comment) == ("g9", "a quiet move [really]")
    assert {str(move): mark for move, mark in other.marks.items()} == {"a1": "triangle"}

    pilot.load("", rule="freestyle")
    pilot.wait_for_stones(0)
    pilot.page.set_input_files("#file", path)
    pilot.wait_for_stones(3)
    again = pilot.save("#save-sgf", tmp_path)
    assert renga.read_game(again) == game


def test_a_variation_becomes_the_main_line_once(pilot: Pilot) -> None:
    pilot.load("h8h9i10")
    assert pilot.page.is_disabled("#promote"), "the main line is the main line"
    pilot.key("ArrowLeft")
    pilot.wait_for_stones(2)
    pilot.click("g9")
    pilot.page.wait_for_selector("#promote:enabled")
    pilot.page.click("#promote")
    pilot.page.wait_for_selector("#promote:disabled")
    assert pilot.count(".variation") == 1


def test_psq_goes_round(pilot: Pilot, tmp_path: Path) -> None:
    path = tmp_path / "record.psq"
    path.write_text("Piskvorky 20x20, 11:11, 0\n10,10,0\n11,11,500\n10,9,40\nAlice\nBob\n-1\n", encoding="utf-8")
    pilot.page.set_input_files("#file", path)
    stones = pilot.wait_for_stones(3)
    assert list(stones) == ["j11", "k10", "j12"]
    assert pilot.count("[data-point]") == 400
    pilot.tab("game")
    again = pilot.save("#save-psq", tmp_path)
    assert renga.read_game(again) == renga.read_game(path)


def test_a_damaged_file_is_named_and_changes_nothing(pilot: Pilot, tmp_path: Path) -> None:
    pilot.free_board("freestyle")
    pilot.click("h8")
    path = tmp_path / "broken.sgf"
    path.write_text("(;GM[4]SZ[15];B[hh", encoding="utf-8")
    pilot.page.set_input_files("#file", path)
    assert "broken.sgf" in pilot.wait_for_text("#toast", "broken.sgf")
    assert pilot.stones() == {"h8": "black"}


def test_an_address_restores_its_position_in_a_new_window(pilot: Pilot, browser, server: Server) -> None:
    pilot.load("h8h7i9", rule="renju", size="15")
    pilot.page.wait_for_function("() => location.hash.includes('code=h8h7i9')")
    other = Pilot(browser, pilot.page.url)
    assert list(other.wait_for_stones(3)) == ["h8", "h7", "i9"]
    assert "Renju" in other.text("#what")
    other.close()
    pilot.tab("game")
    pilot.page.fill("#code", "h8h8")
    pilot.page.click("#load-code")
    assert "h8 is occupied" in pilot.wait_for_text("#toast", "occupied")


def test_rotating_and_mirroring_turn_the_whole_game(pilot: Pilot) -> None:
    pilot.load("a1c2")
    pilot.page.click("#rotate")
    pilot.page.wait_for_selector('[data-stone="a15"]')
    assert pilot.stones() == {"a15": "black", "b13": "white"}
    pilot.page.click("#mirror")
    pilot.page.wait_for_selector('[data-stone="o15"]')
    assert pilot.stones() == {"o15": "black", "n13": "white"}


def test_the_editor_sets_up_any_position_with_either_side_to_move(pilot: Pilot, tmp_path: Path) -> None:
    pilot.load("h8")
    pilot.page.click("#edit")
    pilot.click("g8", "f8")
    pilot.page.click('[data-point="h8"]')
    pilot.wait_for_stones(2)
    pilot.page.click("#editor [role=radio][data-value=white] >> nth=0")
    pilot.click("c3")
    pilot.page.click("#editor [aria-label='To move'] [data-value=black]")
    pilot.page.click("#edit-done")
    assert pilot.wait_for_stones(3) == {"g8": "black", "f8": "black", "c3": "white"}
    assert "Black to move" in pilot.text("#standing")
    pilot.click("e8")
    assert pilot.stones()["e8"] == "black"
    code = pilot.page.input_value("#code")
    board = renga.Board.from_code(code)
    assert {str(move): colour for move, colour in board.stones.items()} == pilot.stones()
    game = renga.read_game(pilot.save("#save-sgf", tmp_path))
    setup = {str(move): colour for move, colour in game.root.setup.items()}
    assert setup == {"g8": "black", "f8": "black", "c3": "white"}


def test_pictures_as_png_and_svg(pilot: Pilot, tmp_path: Path) -> None:
    pilot.load("h8h7i9")
    svg = pilot.save("#save-svg", tmp_path).read_text(encoding="utf-8")
    assert svg.count("<circle") >= 3 and "data-point" not in svg and "class=" not in svg
    png = pilot.save("#save-png", tmp_path).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width == 1600 and 1500 < height < 1700
    assert len(png) > 20_000, "something is drawn on it"


def test_a_tree_of_two_hundred_moves_is_walked_without_lag(pilot: Pilot) -> None:
    cells = [(x, y) for y in range(15) for x in range(15)]
    black = [cell for cell in cells if (cell[0] + 2 * cell[1]) % 4 < 2]
    white = [cell for cell in cells if cell not in black]
    board = renga.Board(15, rule="standard")
    for move in [move for pair in zip(black[:100], white[:100], strict=True) for move in pair]:
        board.play(move)
    pilot.load(board.code, rule="standard")
    assert len(pilot.wait_for_stones(200)) == 200
    script = """async () => {
        for (let step = 0; step < 100; step += 1) {
            const key = step < 50 ? "ArrowLeft" : "ArrowRight";
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            await new Promise(requestAnimationFrame);
        }
    }"""
    tools = pilot.context.new_cdp_session(pilot.page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})  # processor time: the machine may have other work

    def busy() -> float:
        metrics = {entry["name"]: entry["value"] for entry in tools.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"])

    before = busy()
    pilot.page.evaluate(script)
    assert (busy() - before) / 100 < 0.03, "seconds a step"
    assert len(pilot.wait_for_stones(200)) == 200
