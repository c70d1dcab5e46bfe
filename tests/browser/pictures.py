"""The pictures of docs/board.md and the README: `python -m tests.browser.pictures FOLDER [--all]`.

With `--all` every scene at three window sizes, light and dark, to be looked at by a person.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, SWITCHES, Server
from tests.browser.pilot import Pilot

SIZES = {"phone": (390, 844), "laptop": (1280, 800), "4k": (3840, 2160)}
GAME = "h8i9i7g9h9h7g8i8j7f9g10i10"
REVIEWED = "h8i9i7g9h9h7g8i8j7f9j8k8a1j9"
WIN = "h8a1h9b3i8a14"
FOULS = "h8f9h9f8i7g10g7j10k12e12l12d4m12n4"


def play(pilot: Pilot) -> None:
    """A game with a clock, the user's turn."""
    pilot.tab("play")
    pilot.page.select_option("#rule", "renju")
    pilot.page.select_option("#strength", "clock")
    pilot.page.click("#start-game")
    for point in ("h8", "j10", "g10", "f7"):
        if point in pilot.stones():
            continue
        before = len(pilot.stones())
        pilot.page.click(f'[data-point="{point}"]')
        pilot.wait_for_stones(before + 2)
    pilot.wait_for_text("#game-status", "Your move")


def analysis(pilot: Pilot) -> None:
    """Candidates with win rates."""
    pilot.load(GAME)
    pilot.tab("analyse")
    pilot.page.click("#analyse")
    pilot.page.wait_for_selector(".candidate.best")
    pilot.page.wait_for_timeout(6000)
    pilot.page.click("#analyse")


def overlays(pilot: Pilot) -> None:
    """Renju: threats, forbidden points and move numbers."""
    pilot.load(FOULS, rule="renju")
    pilot.key("t")
    pilot.key("m")
    pilot.page.wait_for_selector("[data-threat]")


def proof(pilot: Pilot) -> None:
    """A walk through the proof of a forced win, with its certificate."""
    pilot.load(WIN)
    pilot.tab("analyse")
    pilot.page.click("#find-win")
    pilot.page.wait_for_selector("#walk-proof")
    pilot.page.click("#certify")
    pilot.page.wait_for_selector("#save-certificate")
    pilot.page.click("#walk-proof")
    for _ in range(2):
        pilot.page.wait_for_selector("#replies [data-reply]")
        pilot.page.click("#replies [data-reply] >> nth=0")
    pilot.page.wait_for_selector("#replies [data-reply]")
    pilot.page.locator("#proof-walk").scroll_into_view_if_needed()


def review(pilot: Pilot) -> None:
    """The graph and the mistakes of a game."""
    pilot.load(REVIEWED)
    pilot.tab("review")
    pilot.page.fill("#review-seconds", "1")
    pilot.page.evaluate("document.activeElement.blur()")
    pilot.page.click("#start-review")
    pilot.page.wait_for_selector("#stop-review")
    pilot.page.wait_for_selector("#start-review", timeout=180_000)
    pilot.key("Home")
    pilot.key("n")
    pilot.page.wait_for_timeout(300)


def game(pilot: Pilot) -> None:
    """Variations, comment and marks."""
    pilot.load(GAME)
    for _ in range(3):
        pilot.key("ArrowLeft")
    for point in ("k10", "e11"):
        pilot.page.click(f'[data-point="{point}"]')
    pilot.page.fill("#comment", "Quiet, but it keeps both diagonals open.")
    pilot.page.click("[role=radio][data-value=letter]")
    pilot.page.click('[data-point="f11"]')
    pilot.page.click('[data-point="j6"]')
    pilot.page.click("[role=radio][data-value=none]")
    pilot.page.wait_for_timeout(300)


SCENES: dict[str, Callable[[Pilot], None]] = {
    "play": play, "analysis": analysis, "overlays": overlays, "proof": proof, "review": review, "game": game,
}  # fmt: skip
DARK = {"proof", "overlays"}
"""Of the pictures for the docs."""


def every_look(pilot: Pilot, folder: Path, name: str) -> None:
    """The same scene in windows of three sizes, light and dark."""
    for size, (width, height) in SIZES.items():
        pilot.page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            pilot.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            pilot.page.wait_for_timeout(300)
            pilot.page.screenshot(path=folder / f"{name}-{size}-{scheme}.png")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--scenes", nargs="*", default=list(SCENES))
    options = parser.parse_args()
    if CHROMIUM is None:
        print("there is no Chromium", file=sys.stderr)
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
            for name in options.scenes:
                pilot = Pilot(browser, server.address, *SIZES["laptop"], name in DARK)
                SCENES[name](pilot)
                if pilot.page.locator("#toast.visible").count():
                    pilot.page.wait_for_selector("#toast:not(.visible)", state="attached")
                    pilot.page.wait_for_timeout(300)
                if options.all:
                    every_look(pilot, options.folder, name)
                else:
                    pilot.page.screenshot(path=options.folder / f"board-{name}.png")
                pilot.close()
            browser.close()
    finally:
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
