"""`renga board`: serves the page on this machine and opens the browser."""

from __future__ import annotations

import argparse
import contextlib
import re
import secrets
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any

import renga
from renga.web.positions import game_record

PORT = 8515
"""Where it is free: the browser keeps games by address, so the same port finds them again."""
LARGEST_MESSAGE = 1 << 25
MISSING = 'the board needs a few packages: pip install "renga[board]"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    game = "an .sgf or .psq file, or a position such as h8h7i9"
    parser.add_argument("game", nargs="?", metavar="FILE|CODE", help=game)
    rules = ", ".join(renga.RULES)
    parser.add_argument("--rule", default=None, help=f"one of {rules} (default: the file's, or freestyle)")
    parser.add_argument("--size", default="15", help="15, or 20x15 for 20 columns (default: 15; a file has its own)")
    parser.add_argument("--port", type=int, default=None, help=f"default: {PORT}, or any free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; default: this machine only")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.add_argument("--threads", type=int, default=1, help="of the search (default: 1)")
    parser.add_argument("--memory", type=int, default=350, metavar="MB", help="of the search (default: 350)")


def first_game(text: str | None, size: str, rule: str | None) -> dict[str, Any] | None:
    """The record of the game named on the command line; ValueError or OSError if there is none."""
    if text is None:
        board = renga.Board.from_code("", size=size, rule=rule or "freestyle")
        return game_record(renga.Game.from_board(board)) if (rule or size != "15") else None
    if re.search(r"\.(sgf|psq)$", text, re.IGNORECASE) or Path(text).exists():
        return game_record(renga.read_game(text, rule=rule))
    return game_record(renga.Game.from_board(renga.Board.from_code(text, size=size, rule=rule or "freestyle")))


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; without a port the usual one, or any that is free. OSError if there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (PORT, 0) if port is None else (port,):
        found = socket.socket(family, socket.SOCK_STREAM)
        if sys.platform != "win32":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, candidate))
            found.listen()
        except OSError:
            found.close()
            if candidate == 0 or port is not None:
                raise
            continue
        return found
    raise AssertionError("the last candidate is any free port")


def run(arguments: argparse.Namespace) -> int:
    """Serves until Ctrl-C; then the exit code is 0. ValueError or OSError for arguments that make no sense."""
    try:
        import uvicorn

        from renga.web.app import LOOPBACK, host_check, make_app
        from renga.web.desk import Desk
    except ImportError as error:
        print(f"renga board: {MISSING} ({error})", file=sys.stderr)
        return 2
    game = first_game(arguments.game, arguments.size, arguments.rule)
    listener = listen(arguments.host, arguments.port)
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(16)
    shown = "127.0.0.1" if arguments.host in LOOPBACK else arguments.host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/{token}/"
    if arguments.host not in LOOPBACK:
        warning = "warning: other machines can reach this board; whoever knows the address can use the engine."
        print(f"renga board: {warning}", file=sys.stderr)
    print(f"Renga's board: {address}\nCtrl-C ends it.", flush=True)

    desk = Desk(options={"threads": arguments.threads, "memory_mb": arguments.memory})
    app = make_app(desk, token, host_check(arguments.host, port), game)
    config = uvicorn.Config(
        app, log_level="warning", lifespan="on", ws_max_size=LARGEST_MESSAGE, timeout_graceful_shutdown=1,
        server_header=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    if not arguments.no_browser:
        # A browser that is slow to start must not hold up the server it is going to ask.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    desk.close()
    return 0
