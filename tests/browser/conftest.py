"""The board in a real browser: one server and one Chromium for all tests, a fresh window for each.

`make test-board` runs these tests; other runs leave them out, for they take minutes and need Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pilot import Pilot

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent.parent
WANTED = os.environ.get("RENGA_BROWSER") == "1"
CHROMIUM = os.environ.get("RENGA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

collect_ignore_glob = [] if WANTED else ["test_*.py"]


COMMAND = (sys.executable, "-m", "renga", "board", "--no-browser", "--port", "0")


class Server:
    """`renga board` as a process of its own."""

    def __init__(self, command: Sequence[str] = COMMAND, folder: Path = ROOT) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
            start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        found = re.search(r"http://\S+", self.process.stdout.readline())
        assert found, "the server says its address first"
        self.address = found[0]

    def stop(self) -> int:
        """As Ctrl-C in a terminal does, which all processes of a command hear; returns the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(20)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="there is no Playwright: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: on Debian `apt install chromium`, or name one in RENGA_CHROMIUM")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield started
        started.close()


@pytest.fixture
def pilot(browser: Browser, server: Server) -> Iterator[Pilot]:
    """A fresh window, which must not have reported any error by its end."""
    window = Pilot(browser, server.address)
    yield window
    window.close()
    assert window.errors == []
