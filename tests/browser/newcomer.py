"""A new user's path, timed: `python -m tests.browser.newcomer [FOLDER]` clones the project, sets up the board as `make
board` does, and plays the first stone by a click in the browser.

Every step has its time by the clock and, for a machine with other work, the processor time of all its processes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, ROOT, SWITCHES, Server
from tests.browser.pilot import Pilot


def processor_s() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def step(name: str) -> Iterator[None]:
    began, used = time.monotonic(), processor_s()
    yield
    spent = time.monotonic() - began
    print(f"{name}: {spent:.1f} s, processor time {processor_s() - used:.1f} s", flush=True)


def walk(folder: Path) -> None:
    clone = folder / "renga"
    with step("clone"):
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    with step("set-up"):
        subprocess.run(["make", "--silent", ".venv/.board"], cwd=clone, check=True)
    with step("after set-up: `make board` to the first stone, and the end"), sync_playwright() as driver:
        began = time.monotonic()
        server = Server(["make", "--silent", "board", "BOARD=--no-browser --port 0"], clone)
        print(f"  the address is said: {time.monotonic() - began:.1f} s", flush=True)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        pilot = Pilot(browser, server.address)
        pilot.click("h8")
        print(f"  the first stone: {time.monotonic() - began:.1f} s", flush=True)
        browser.close()
        server.stop()


def main() -> int:
    if CHROMIUM is None:
        print("there is no Chromium", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        walk(Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
