"""A user at the board: clicks, wheels and keys, and what can be seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_MS = 30_000
"""For anything the engine has to do on a busy machine."""


def moves_of(code: str) -> list[str]:
    return re.findall(r"[a-z]+[0-9]+", code)


class Pilot:
    """One window. Whatever the page reports as an error fails the test that asks for `errors`."""

    def __init__(
        self, browser: Browser, address: str, width: int = 1280, height: int = 800, dark: bool = False, **more: Any
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", **more
        )
        self.errors: list[str] = []
        self.page = self.open(address)

    def open(self, address: str) -> Page:
        """Another tab of the same browser."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        return page

    def close(self) -> None:
        self.context.close()

    # What a user does

    def click(self, *points: str) -> None:
        """Clicks points, and waits for each stone."""
        for point in points:
            self.page.click(f'[data-point="{point}"]')
            self.page.wait_for_selector(f'[data-stone="{point}"]')

    def tab(self, name: str) -> None:
        self.page.click(f"#tab-{name}")

    def key(self, name: str) -> None:
        self.page.keyboard.press(name)

    def wheel(self, point: str, steps: int) -> None:
        """Steps of the wheel over a point, forward where positive."""
        self.hover(point)
        for _ in range(abs(steps)):
            self.page.mouse.wheel(0, 100 if steps > 0 else -100)

    def hover(self, point: str) -> None:
        self.page.hover(f'[data-point="{point}"]', force=True)

    def load(self, code: str, rule: str = "freestyle", size: str = "15") -> None:
        """A position by its link, as if it had been pasted."""
        self.tab("game")
        self.page.fill("#code", f"#rule={rule}&size={size}&code={code}")
        self.page.click("#load-code")
        self.page.wait_for_function("code => document.querySelector('#code').value === code", arg=code)
        self.page.evaluate("document.activeElement.blur()")

    def free_board(self, rule: str, size: int = 15) -> None:
        """A game of both sides."""
        self.tab("play")
        self.page.select_option("#rule", rule)
        self.page.fill("#width", str(size))
        self.page.fill("#height", str(size))
        self.page.click("[role=radio][data-value=both]")
        self.page.click("#start-game")
        self.page.wait_for_selector("#game-status")

    def save(self, button: str, folder: Path) -> Path:
        """Presses a button that saves a file; returns where it is."""
        with self.page.expect_download() as download:
            self.page.click(button)
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    # What a user sees

    def drawn(self) -> None:
        """Until what the page knows by now is on the screen: panels are drawn once a frame, busy machines have few."""
        next_frame = "new Promise(done => requestAnimationFrame(() => done()))"
        self.page.evaluate(f"async () => {{ await {next_frame}; await {next_frame}; }}")

    def stones(self) -> dict[str, str]:
        """Every stone that lies on the board, with its colour."""
        self.drawn()
        script = """elements => elements.map(stone => [stone.dataset.stone, stone.classList.contains("black")])"""
        found = self.page.eval_on_selector_all(".layer-stones [data-stone]", script)
        return {point: "black" if black else "white" for point, black in found}

    def previewed(self) -> list[str]:
        """The line shown as numbered stones."""
        self.drawn()
        found = self.page.eval_on_selector_all(".layer-over .ghost", "ghosts => ghosts.map(one => one.dataset.stone)")
        return list(found)

    def wait_for_stones(self, count: int) -> dict[str, str]:
        self.wait_for_count(".layer-stones [data-stone]", count)
        return self.stones()

    def wait_for_count(self, selector: str, count: int) -> None:
        """Until there are `count` elements."""
        script = "([selector, count]) => document.querySelectorAll(selector).length === count"
        self.page.wait_for_function(script, arg=[selector, count])

    def count(self, selector: str) -> int:
        """How many there are just now; wait_for_count where the server has a part in it."""
        self.drawn()
        return self.page.locator(selector).count()

    def attribute(self, selector: str, name: str) -> str | None:
        self.drawn()
        return self.page.get_attribute(selector, name)

    def text(self, selector: str) -> str:
        self.drawn()
        return self.page.inner_text(selector)

    def wait_for_text(self, selector: str, pattern: str) -> str:
        self.page.wait_for_function(
            "([selector, pattern]) => new RegExp(pattern).test(document.querySelector(selector)?.textContent ?? '')",
            arg=[selector, pattern],
        )
        return self.text(selector)

    def visits(self) -> int:
        """Of the newest report on the board, as text such as 1.2k."""
        found = re.match(r"Visits ([0-9.]+)([kM]?)", self.text("#analysis-status"))
        return int(float(found[1]) * {"": 1, "k": 1000, "M": 1000000}[found[2]]) if found else 0
