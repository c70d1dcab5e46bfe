"""The engine's process: started, asked, stopped, and replaced when it dies.

The engine lives in a child process, so that nothing it does can hold up the page, and a search that does not heed a
stop is ended by ending the process. A piece of work is a `Ticket`; one is in the engine's hands at a time:

- of one owner a newer foreground ticket stops the older one;
- an endless ticket (live analysis) gives way to any foreground ticket of another owner;
- a background ticket (one position of a review) gives way to any foreground ticket, and its owner asks again.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from renga.web import worker

GRACE_S = 1.5
"""How long a stopped search may take to end before its process is ended."""
ATTEMPTS = 3
"""Processes that may die in a row before they were ready; then the next ticket starts the next one."""

Answer = dict[str, Any]


class EngineDied(Exception):
    """The engine's process ended in the middle of a ticket."""


class Refused(Exception):
    """The engine did not accept the ticket; the text says why."""


@dataclass(eq=False)
class Ticket:
    """One piece of work: what, for whom, and where the updates go."""

    kind: str
    arguments: dict[str, Any]
    owner: object
    on_update: Callable[[Answer], None] = lambda update: None
    endless: bool = False
    background: bool = False
    stopped: str = ""
    """Why it was stopped: "" (it was not), "asked", "replaced", "elsewhere" (another tab) or "foreground"."""
    answer: asyncio.Future[Answer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Desk:
    """Takes tickets, hands them to the engine one at a time, and keeps the engine alive."""

    def __init__(
        self,
        serve: Callable[[Connection, dict[str, Any]], None] = worker.serve,
        options: dict[str, Any] | None = None,
        grace_s: float = GRACE_S,
    ) -> None:
        self._serve, self._options, self._grace_s = serve, options or {}, grace_s
        self.listeners: set[Callable[[str], None]] = set()
        """Told "ready", "restarted" (a process was replaced) and "broken" (it does not start)."""
        self.state = "starting"
        self.process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._generation = 0
        self._failures = 0
        self._current: Ticket | None = None
        self._waiting: list[Ticket] = []
        self._closed = False

    def open(self) -> None:
        """Starts the engine's process; it is ready a moment later. Needs a running event loop."""
        self._loop = asyncio.get_running_loop()
        context = multiprocessing.get_context("spawn")
        self._connection, far_end = context.Pipe()
        self._generation += 1
        self.process = context.Process(target=self._serve, args=(far_end, self._options), daemon=True)
        self.process.start()
        far_end.close()
        listener = threading.Thread(target=self._listen, args=(self._connection, self._generation), daemon=True)
        listener.start()

    def submit(self, ticket: Ticket) -> None:
        """Queues a ticket; `ticket.answer` will have the result, EngineDied or Refused."""
        if not ticket.background:
            for other in [*self._waiting, *([self._current] if self._current else [])]:
                if other.background or (other.endless and other.owner is not ticket.owner):
                    if other is self._current:
                        self.stop(other, "foreground" if other.background else "elsewhere")
                elif other.owner is ticket.owner:
                    self.stop(other, "replaced")
        self._waiting.append(ticket)
        self._next()

    def stop(self, ticket: Ticket, reason: str = "asked") -> None:
        """Ends a ticket soon, whatever the engine does: it is answered with `stopped` set."""
        if ticket.stopped:
            return
        ticket.stopped = reason
        if ticket in self._waiting:
            self._waiting.remove(ticket)
            _settle(ticket, {})
        elif ticket is self._current:
            self._send(("stop",))
            self._loop.call_later(self._grace_s, self._lose_patience, ticket)

    def drop(self, owner: object) -> None:
        """Stops everything of an owner who has gone."""
        for ticket in [*self._waiting, *([self._current] if self._current else [])]:
            if ticket.owner is owner:
                self.stop(ticket)

    def close(self) -> None:
        """Ends the process at once; may be called twice."""
        self._closed = True
        self._abandon()
        for ticket in [*self._waiting, *([self._current] if self._current else [])]:
            _settle(ticket, {})
        self._waiting.clear()
        self._current = None

    def _next(self) -> None:
        if self._current is not None or not self._waiting or self._closed:
            return
        if self.state == "broken":
            self.state, self._failures = "starting", 0
            self.open()
        ticket = min(self._waiting, key=lambda waiting: waiting.background)
        self._waiting.remove(ticket)
        self._current = ticket
        self._send(("work", ticket.kind, ticket.arguments))

    def _send(self, order: tuple[Any, ...]) -> None:
        assert self._connection is not None
        # A broken pipe is noticed by the listener too, which is where it is dealt with.
        with contextlib.suppress(OSError, ValueError):
            self._connection.send(order)

    def _listen(self, connection: Connection, generation: int) -> None:
        """Runs in a thread of its own: what the process says is told to the event loop."""
        with contextlib.suppress(RuntimeError):  # the event loop has been closed
            try:
                while True:
                    word, content = connection.recv()
                    self._loop.call_soon_threadsafe(self._received, generation, word, content)
            except (EOFError, OSError):
                self._loop.call_soon_threadsafe(self._lost, generation)

    def _received(self, generation: int, word: str, content: Any) -> None:
        if generation != self._generation:
            return
        ticket = self._current
        if word == "ready":
            self._failures = 0
            self._tell("ready")
        elif ticket is None:
            return
        elif word == "update":
            ticket.on_update(content)
        else:
            self._current = None
            _settle(ticket, content if word == "done" else Refused(content))
            self._next()

    def _lose_patience(self, ticket: Ticket) -> None:
        if ticket is self._current:
            self._replace_process({})

    def _lost(self, generation: int) -> None:
        if generation == self._generation and not self._closed:
            self._replace_process(EngineDied("the engine's process ended unexpectedly"))

    def _replace_process(self, outcome: Answer | EngineDied) -> None:
        """A new process; the ticket in hand gets the outcome, those that wait go to the new one."""
        was_ready = self.state != "starting"
        self._failures += 1
        self._abandon()
        ticket, self._current = self._current, None
        broken = self._failures >= ATTEMPTS and not was_ready
        if not broken:
            self.state = "starting"
            self.open()
        self._tell("broken" if broken else "restarted")
        if ticket is not None:
            _settle(ticket, outcome)
        if not broken:
            self._next()

    def _abandon(self) -> None:
        self._generation += 1
        if self.process is not None:
            self.process.kill()
            self.process.join(1.0)  # a killed process is gone at once: leave no zombie
        if self._connection is not None:
            self._connection.close()

    def _tell(self, state: str) -> None:
        self.state = "starting" if state == "restarted" else state
        for listener in list(self.listeners):
            listener(state)


def _settle(ticket: Ticket, outcome: Answer | Exception) -> None:
    """Answers a ticket, unless nobody waits for it any more."""
    if ticket.answer.done():
        return
    if isinstance(outcome, Exception):
        ticket.answer.set_exception(outcome)
    else:
        ticket.answer.set_result(outcome)
