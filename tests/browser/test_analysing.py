"""Live analysis, overlays, forced wins with their proof, the balance finder."""

from __future__ import annotations

from pathlib import Path

from renga.verify import verify
from tests.browser.pilot import Pilot, moves_of

HANG = "h8g6f6g5f7g4h7g3g2a1"
"""Renju, black to move, forced onto a foul: a known board hangs here."""
OPENING = "h8i9h9h7i8g8j7"
WIN_BY_THREES = "h8a1h9a2i8a14"
"""Freestyle, black to move: three stones together win by threes and fours."""


def analyse(pilot: Pilot) -> None:
    pilot.tab("analyse")
    pilot.page.click("#analyse")
    pilot.page.wait_for_selector(".candidate.best")


def test_candidates_show_their_lines_on_hover_and_the_wheel_walks_them(pilot: Pilot) -> None:
    pilot.load(OPENING)
    analyse(pilot)
    pilot.wait_for_text("#candidates td.line", r"\S+ \S+ \S+ \S+")
    pilot.key("Escape")
    pilot.wait_for_text("#analyse", "Analyse")
    best = pilot.attribute("#candidates tbody tr", "data-line")
    assert best is not None
    pilot.hover(best)
    pilot.page.wait_for_selector(".layer-over .ghost")
    line = pilot.previewed()
    assert line[0] == best
    pilot.wheel(best, -1)
    pilot.wait_for_count(".layer-over .ghost", len(line) - 1)
    assert pilot.previewed() == line[:-1]
    assert len(pilot.stones()) == 7, "the wheel over a candidate leaves the game alone"
    pilot.page.dblclick(f'[data-point="{best}"]')
    assert list(pilot.wait_for_stones(7 + len(line)))[7:] == line


def test_analysis_follows_the_board_and_shows_as_many_moves_as_asked(pilot: Pilot) -> None:
    pilot.load(OPENING)
    pilot.tab("analyse")
    pilot.page.fill("#lines", "2")
    pilot.key("Tab")
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.key(" ")
    pilot.page.wait_for_selector(".candidate.best")
    pilot.key("ArrowLeft")
    pilot.wait_for_stones(6)
    pilot.wait_for_text("#candidates", "side to move .Black")
    assert 1 <= pilot.count(".candidate") <= 2
    pilot.key(" ")
    pilot.wait_for_text("#analyse", "Analyse")
    settled = pilot.visits()
    pilot.page.wait_for_timeout(700)
    assert pilot.visits() == settled, "stopped is stopped"


def test_analysis_on_and_off_fifty_times(pilot: Pilot) -> None:
    pilot.load(OPENING)
    pilot.tab("analyse")
    pilot.page.evaluate("document.activeElement.blur()")
    for _ in range(100):
        pilot.key(" ")
    assert pilot.attribute("#analyse", "aria-pressed") == "false"
    pilot.key(" ")
    pilot.page.wait_for_selector(".candidate.best")
    pilot.key("Escape")
    pilot.wait_for_text("#analyse", "Analyse")


def test_the_stop_always_stops_also_where_black_is_forced_onto_a_foul(pilot: Pilot) -> None:
    pilot.load(HANG, rule="renju")
    pilot.tab("analyse")
    pilot.page.click("#analyse")
    pilot.page.wait_for_timeout(1500)
    pilot.page.click("#analyse")
    pilot.wait_for_text("#analyse", "Analyse")
    pilot.page.click("#find-win")
    pilot.wait_for_text("#proof", "No forced win|wins in")
    pilot.key("Home")
    pilot.page.click("#analyse")
    pilot.page.wait_for_selector(".candidate.best")
    pilot.key("Escape")


def test_threats_forbidden_points_and_prior_are_overlays(pilot: Pilot) -> None:
    pilot.load("h8a1h9a3i7c1g7e1k12a5l12a7m12a9", rule="renju")
    pilot.key("t")
    pilot.page.wait_for_selector('[data-threat="black 4 j12"]')
    pilot.page.wait_for_selector('[data-foul="h7"]')
    pilot.key("f")
    pilot.page.wait_for_selector("[data-foul]", state="detached")
    pilot.key("t")
    pilot.page.wait_for_selector("[data-threat]", state="detached")
    pilot.load("h8i9")
    pilot.key("p")
    analyse(pilot)
    pilot.page.wait_for_selector("[data-prior]")
    pilot.key("Escape")


def test_a_forced_win_is_found_and_its_proof_can_be_walked(pilot: Pilot) -> None:
    pilot.load(WIN_BY_THREES)
    pilot.tab("analyse")
    pilot.page.click("#find-win")
    assert "Black wins in" in pilot.wait_for_text("#win-found", "wins in")
    steps = "steps => steps.map(step => step.lastChild.textContent)"
    assert pilot.previewed() == pilot.page.eval_on_selector_all("#win-line .step", steps), "the line is on the board"
    pilot.page.click("#walk-proof")
    pilot.page.wait_for_selector("#replies [data-reply]")
    assert pilot.count("#replies [data-reply]") >= 2, "a three can be answered in more than one way"
    seen = 1
    while pilot.count("#replies [data-reply]"):
        pilot.page.click("#replies [data-reply] >> nth=0")
        seen += 2
        pilot.wait_for_count("#proof-path [data-step]", seen)
    assert "Black has won" in pilot.text("#proof-end")
    assert pilot.previewed() == moves_of(walked(pilot))
    pilot.page.click("#proof-path [data-step='0']")
    pilot.wait_for_count("#proof-path [data-step]", 1)
    pilot.page.click('[data-point="o1"]')
    pilot.wait_for_count("#proof-path [data-step]", 3)
    assert pilot.text("#proof-path [data-step='1']").endswith("o1"), "a defence tried on the board is answered"
    pilot.page.click("#adopt-proof")
    assert len(pilot.wait_for_stones(9)) == 9


def test_the_certificate_of_a_forced_win_is_verified_and_saved(pilot: Pilot, tmp_path: Path) -> None:
    pilot.load(WIN_BY_THREES)
    pilot.tab("analyse")
    pilot.page.click("#find-win")
    pilot.page.click("#certify")
    said = pilot.wait_for_text("#certificate", "Verified")
    path = pilot.save("#save-certificate", tmp_path)
    found = verify(path.read_bytes())
    assert found.claim.startswith("black wins within")
    assert f"{found.lines} lines, {found.positions} positions" in said
    pilot.key("ArrowLeft")
    pilot.page.wait_for_selector("#certificate", state="detached")


def walked(pilot: Pilot) -> str:
    return " ".join(
        pilot.page.eval_on_selector_all(
            "#proof-path [data-step]", "steps => steps.map(step => step.lastChild.textContent)"
        )
    )


def test_the_balance_finder_offers_one_or_two_moves(pilot: Pilot) -> None:
    pilot.load("h8i9")
    pilot.tab("analyse")
    for key, count in [("b", 1), ("B", 2)]:
        pilot.key(key)
        pilot.wait_for_text("#balance", "Looking for even moves")
        found = pilot.wait_for_text("#balance-found", "leaves")
        assert len(moves_of(found.split("leaves")[0])) == count
        assert pilot.count("[data-even]") == count
    assert pilot.page.locator("[data-even]").all_text_contents() == ["1", "2"], "two moves are numbered"
    pilot.page.click("#balance-play")
    pilot.wait_for_stones(4)
