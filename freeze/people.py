"""Trials of the program `renga`: its commands answer, and its board is served, plays and leaves nothing behind."""

from __future__ import annotations

import json
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from freeze.talk import TalkError

WON = "h8a1i8a15j8o1"
"""Three in a row with the move: a win that takes no time to find."""
SECONDS = 120.0
"""For anything to happen; a build machine is busy, and Wine starts services of its own first."""
GONE_S = 10.0
"""How long the engine may outlive its server."""
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Whatever proxy the environment names is not on the way to this machine itself."""
ADDRESS = re.compile(r"http://\S+/")


def commands_answer(command: Sequence[str]) -> None:
    """Each command does its work on a small example. TalkError if not."""
    with tempfile.TemporaryDirectory() as folder:
        proof = Path(folder, "win.proof")
        found = json.loads(_output(command, "analyse", "h8i9g9i7", "--nodes", "300", "--json", folder=folder))
        if not found["lines"]:
            raise TalkError(f"renga analyse: no moves in {found}")
        solved = json.loads(_output(command, "solve", WON, "--proof", proof.name, "--json", folder=folder))
        if not (solved["win"] and proof.exists()):
            raise TalkError(f"renga solve: no win, or no certificate of it: {solved}")
        if json.loads(_output(command, "verify", proof.name, "--json", folder=folder))["verdict"] != "verified":
            raise TalkError("renga verify: refuses the certificate of renga solve")
        told = _output(command, "play", "--seconds", "0.2", "--json", folder=folder, typed="h8\nquit\n")
        if not any(json.loads(line).get("by") == "renga" for line in told.splitlines()):
            raise TalkError(f"renga play: no reply to a move:\n{told}")
        _output(command, "selftest", folder=folder)


def board_is_served(command: Sequence[str], left: Callable[[], list[int]]) -> None:
    """The page comes to those with the token only, the engine behind it analyses, and a kill ends both processes.

    `left` says which processes of the program are alive.
    """
    with _board(command) as (process, address):
        page = _page(address, process)
        names = set(re.findall(r'(?:src|href)="(static/[^"]+)"', page))
        if "<html" not in page or not names:
            raise TalkError(f"renga board: this is not its page: {page[:200]}")
        for name in sorted(names):
            _page(address + name, process)
        wrong = re.sub(r"/[^/]+/$", "/guess/", address)
        try:
            _page(wrong, process)
        except TalkError:
            pass
        else:
            raise TalkError("renga board: the page comes without the token, too")
        _analyse(address)
        process.kill()
        process.wait()
    wait_until_gone(left)


def board_ends_at_an_interrupt(command: Sequence[str], left: Callable[[], list[int]]) -> None:
    """Ctrl-C ends the server and its engine, and is no error."""
    with _board(command) as (process, address):
        _analyse(address)
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            raise TalkError("renga board: Ctrl-C does not end it") from None
        if code:
            raise TalkError(f"renga board: exit code {code} after Ctrl-C")
    wait_until_gone(left)


def _output(command: Sequence[str], *words: str, folder: str, typed: str = "") -> str:
    """What a command prints; TalkError unless its exit code is 0."""
    done = subprocess.run(
        [*command, *words], input=typed, capture_output=True, text=True, cwd=folder, timeout=SECONDS, check=False
    )
    if done.returncode:
        raise TalkError(f"renga {words[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}"[-2000:])
    return done.stdout


@contextmanager
def _board(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running board and its address."""
    process = subprocess.Popen(
        [*command, "board", "--no-browser", "--port", "0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    threading.Thread(target=listen, daemon=True).start()
    try:
        said = ""
        while not (found := ADDRESS.search(said)):
            try:
                line = lines.get(timeout=SECONDS)
            except queue.Empty:
                raise TalkError(f"renga board: no address within {SECONDS:.0f} s") from None
            if not line:
                raise TalkError(f"renga board: it has ended; it said: {said[-2000:] or 'nothing'}")
            said += line
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _page(address: str, server: subprocess.Popen[str]) -> str:
    """A file of the page, asked for until the server is there. TalkError if it is refused."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            with DIRECT.open(address, timeout=SECONDS) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            raise TalkError(f"renga board: {error.code} for {address}") from None
        except OSError as error:
            if time.monotonic() > deadline or server.poll() is not None:
                raise TalkError(f"renga board: no page: {error}") from None
            time.sleep(0.2)


def _analyse(address: str) -> None:
    """Asks the engine for its opinion, as the page does."""
    from websockets.sync.client import connect
    from websockets.typing import Origin

    socket = address.replace("http://", "ws://") + "socket"
    position: dict[str, Any] = {
        "width": 15, "height": 15, "rule": "freestyle", "black": [], "white": [], "turn": "black", "moves": ["h8"],
    }  # fmt: skip
    question = {"type": "analyse", "id": 1, "position": position, "lines": 1, "seconds": 0.5, "prior": False}
    origin = Origin("/".join(address.split("/")[:3]))
    with connect(socket, origin=origin, open_timeout=SECONDS, proxy=None) as connection:
        connection.send(json.dumps(question))
        while (told := json.loads(connection.recv(SECONDS)))["type"] != "analyse":
            if told["type"] == "error" or told.get("state") == "broken":
                raise TalkError(f"renga board: its engine does not answer: {told}")
    if not told["lines"]:
        raise TalkError(f"renga board: an analysis without moves: {told}")


def wait_until_gone(left: Callable[[], list[int]]) -> None:
    """What was started by a process that is no more ends by itself, soon."""
    deadline = time.monotonic() + GONE_S
    while alive := left():
        if time.monotonic() > deadline:
            raise TalkError(f"renga board: its engine is still running: {alive}")
        time.sleep(0.2)
