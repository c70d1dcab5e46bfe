"""One tab of the browser: its messages are checked and answered; its searches end when it goes.

PROTOCOL.md has the messages as a table. Every tab is a session of its own, with its own game; the engine is shared.
What is wrong with a message is said in one `error` with the number of the request, and nothing else happens.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import time
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import renga
from renga import psq, sgf
from renga.levels import FULL
from renga.solving import METHODS
from renga.web.desk import Desk, EngineDied, Refused, Ticket
from renga.web.positions import board_of, facts_of, game_of, game_record, names, number, text, whole

Message = dict[str, Any]

LEVELS = (1, FULL)
SIZES = (5, 32)
MOST_LINES = 10
LONGEST_S = 600.0
SOLVER_NODES = 200_000
READERS = {"sgf": sgf.read_sgf, "psq": psq.read_psq}
WRITERS = {"sgf": sgf.write_sgf, "psq": psq.write_psq}


class Session:
    """Hears one tab through `receive`; answers go to `send`, a coroutine that takes a message."""

    def __init__(self, desk: Desk, send: Callable[[Message], Awaitable[None]], hello: Message | None = None) -> None:
        self.desk, self._send, self._hello = desk, send, hello or {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._review: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Greets the tab."""
        self.desk.listeners.add(self._engine_state)
        await self.send(
            {
                "type": "hello",
                "rules": list(renga.RULES),
                "sizes": SIZES,
                "levels": LEVELS,
                "methods": METHODS,
                "game": None,
                **self._hello,
            }
        )
        await self.send({"type": "engine", "state": self.desk.state})

    def close(self) -> None:
        """The tab has gone: nothing goes on for it."""
        self.desk.listeners.discard(self._engine_state)
        self.desk.drop(self)
        for task in self._tasks:
            task.cancel()

    async def receive(self, data: str) -> None:
        """Answers one message, or lets its work begin."""
        request: Any = None
        try:
            message = json.loads(data)
            if not isinstance(message, dict):
                raise ValueError("a message must be an object")
            request = message.get("id")
            if request is not None and type(request) is not int:
                request = None
                raise ValueError("id must be a whole number")
            handler = HANDLERS.get(text(message, "type", 40))
            if handler is None:
                raise ValueError(f"no message type {message['type']!r}: there are {', '.join(sorted(HANDLERS))}")
            await handler(self, message)
        except json.JSONDecodeError as error:
            await self.refuse(None, f"no JSON: {error}")
        except (ValueError, RecursionError) as error:
            await self.refuse(request, str(error) or "the message is nested too deeply")
        except Exception:
            # A fault of ours is no reason to end the tab's connection, with a search and a review on it.
            traceback.print_exc()
            await self.refuse(request, "the server failed at this message; the terminal says more")

    async def send(self, message: Message) -> None:
        await self._send(message)

    async def refuse(self, request: int | None, why: str) -> None:
        await self.send({"type": "error", "id": request, "message": why})

    # Answered at once

    async def facts(self, message: Message) -> None:
        await self.send({"type": "facts", "id": message.get("id"), **facts_of(board_of(message.get("position")))})

    async def read(self, message: Message) -> None:
        """A game file, its bytes in base64."""
        name = text(message, "name", 300)
        reader = READERS.get(name.rpartition(".")[2].lower())
        if reader is None:
            raise ValueError(f"{name}: game files end in .sgf or .psq")
        try:
            data = base64.b64decode(text(message, "data", 1 << 24), validate=True)
        except binascii.Error as error:
            raise ValueError(f"data must be base64: {error}") from None
        try:
            # In a thread: a file of megabytes must not hold up the other tabs.
            game = await asyncio.to_thread(lambda: game_record(reader(data)))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        await self.send({"type": "game", "id": message.get("id"), "game": game})

    async def write(self, message: Message) -> None:
        writer = WRITERS.get(text(message, "format", 10))
        if writer is None:
            raise ValueError(f"format must be one of {', '.join(WRITERS)}")
        written = await asyncio.to_thread(lambda: writer(game_of(message.get("game"))))
        await self.send({"type": "file", "id": message.get("id"), "text": written})

    async def code(self, message: Message) -> None:
        """A position code with rule and size."""
        code = text(message, "code", 10_000)
        board = renga.Board.from_code(code, size=text(message, "size", 10), rule=text(message, "rule", 20))
        game = game_record(renga.Game.from_board(board))
        await self.send({"type": "game", "id": message.get("id"), "game": game})

    # Worked on by the engine

    async def analyse(self, message: Message) -> None:
        board_of(message.get("position"))
        seconds = message.get("seconds")
        arguments = {
            "position": message["position"],
            "lines": whole(message, "lines", 1, MOST_LINES),
            "prior": message.get("prior") is True,
            "seconds": None if seconds is None else number(message, "seconds", 0.01, LONGEST_S),
        }
        self._begin(message, "analyse", arguments, endless=seconds is None)

    async def move(self, message: Message) -> None:
        if board_of(message.get("position")).is_over:
            raise ValueError("the game is over")
        level, seconds = message.get("level"), message.get("seconds")
        arguments = {
            "position": message["position"],
            "level": None if level is None else whole(message, "level", *LEVELS),
            "seconds": None if seconds is None else number(message, "seconds", 0.01, LONGEST_S),
        }
        self._begin(message, "move", arguments)

    async def solve(self, message: Message) -> None:
        """A forced win, or its certificate (`certify`)."""
        if board_of(message.get("position")).is_over:
            raise ValueError("the game is over")
        method = text(message, "method", 20)
        if method not in METHODS:
            raise ValueError(f"no method {method!r}: there are {', '.join(METHODS)}")
        arguments = {"position": message["position"], "method": method, "nodes": SOLVER_NODES}
        self._begin(message, message["type"], arguments)

    async def balance(self, message: Message) -> None:
        if board_of(message.get("position")).is_over:
            raise ValueError("the game is over")
        self._begin(message, "balance", {"position": message["position"], "moves": whole(message, "moves", 1, 2)})

    async def swap2(self, message: Message) -> None:
        stones = len(board_of(message.get("position")).moves)
        if stones not in (0, 3, 5):
            raise ValueError(f"swap2 is decided with 0, 3 or 5 stones on the board, not {stones}")
        self._begin(message, "swap2", {"position": message["position"]})

    async def stop(self, message: Message) -> None:
        """Everything of this tab but its review ends."""
        self.desk.drop(self)

    async def review(self, message: Message) -> None:
        position = message.get("position")
        board_of(position)
        moves = names(position, "moves")  # type: ignore[arg-type]
        plies = message.get("plies")
        if not isinstance(plies, list) or not all(type(ply) is int and 0 <= ply <= len(moves) for ply in plies):
            raise ValueError(f"plies must be a list of whole numbers from 0 to {len(moves)}")
        seconds = number(message, "seconds", 0.01, LONGEST_S)
        await self.stop_review(message)
        self._review = self._start(self._run_review(message.get("id"), position, plies, seconds))

    async def stop_review(self, message: Message) -> None:
        if self._review is not None:
            self._review.cancel()
            self._review = None

    # Inside

    def _begin(self, message: Message, kind: str, arguments: dict[str, Any], endless: bool = False) -> None:
        request = message.get("id")

        def update(content: Message) -> None:
            self._start(self.send({"type": "update", "id": request, **content}))

        ticket = Ticket(kind, arguments, owner=self, on_update=update, endless=endless)
        self.desk.submit(ticket)
        self._start(self._answer(request, kind, ticket))

    async def _answer(self, request: int | None, kind: str, ticket: Ticket) -> None:
        try:
            content = await asyncio.shield(ticket.answer)
        except EngineDied:
            await self.refuse(request, "engine died")
        except Refused as error:
            await self.refuse(request, str(error))
        else:
            await self.send({"type": kind, "id": request, "stopped": ticket.stopped, **content})

    async def _run_review(self, request: int | None, position: Any, plies: list[int], seconds: float) -> None:
        """One background ticket after the other; a position that had to give way is asked again."""
        began, spent = time.monotonic(), 0.0
        for done, ply in enumerate(plies):
            there = {**position, "moves": position["moves"][:ply]}
            content: Message = {}
            tries = 0
            while "evaluation" not in content:
                arguments = {"position": there, "seconds": seconds}
                ticket = Ticket("evaluate", arguments, owner=self._review, background=True)
                self.desk.submit(ticket)
                try:
                    content = await asyncio.shield(ticket.answer)
                except asyncio.CancelledError:
                    self.desk.stop(ticket)
                    raise
                except EngineDied:
                    tries += 1
                    if tries == 2:
                        await self.refuse(request, f"the engine died twice at move {ply}")
                        return
                except Refused as error:
                    await self.refuse(request, f"move {ply}: {error}")
                    return
                if "evaluation" not in content:
                    await self.send({"type": "update", "id": request, "waits": True})
            spent = time.monotonic() - began
            left = spent / (done + 1) * (len(plies) - done - 1)
            progress = {"done": done + 1, "total": len(plies), "seconds_left": round(left, 1)}
            await self.send({"type": "update", "id": request, "ply": ply, **content, **progress})
        await self.send({"type": "review", "id": request, "seconds": round(spent, 1)})

    def _engine_state(self, state: str) -> None:
        self._start(self.send({"type": "engine", "state": state}))

    def _start(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


HANDLERS: dict[str, Callable[[Session, Message], Awaitable[None]]] = {
    "facts": Session.facts,
    "read": Session.read,
    "write": Session.write,
    "code": Session.code,
    "analyse": Session.analyse,
    "move": Session.move,
    "solve": Session.solve,
    "certify": Session.solve,
    "balance": Session.balance,
    "swap2": Session.swap2,
    "stop": Session.stop,
    "review": Session.review,
    "stop review": Session.stop_review,
}
