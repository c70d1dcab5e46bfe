"""What runs in the engine's process: orders come through a pipe, one piece of work at a time, and updates go back.

Orders are ("work", kind, arguments) and ("stop",); answers are ("ready", None), ("update", {...}), ("done", {...}) and
("refused", text). The main thread only listens, so that a stop is heard while the other thread searches.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import renga
from renga.web import jobs

UPDATES_PER_S = 10


class Pace:
    """Lets ten updates a second through. One that comes late does not make the next one late: reports that come a
    little more often than they are let through would else be halved."""

    def __init__(self) -> None:
        self._due = 0.0

    def lets_through(self, now: float) -> bool:
        """Whether an update at this time (in seconds) is passed on."""
        if now < self._due:
            return False
        self._due = max(self._due + 1 / UPDATES_PER_S, now + 0.5 / UPDATES_PER_S)
        return True


def serve(connection: Connection, options: dict[str, Any]) -> None:
    """The life of the process: until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's: it closes the pipe
    with renga.Engine(**options) as engine:
        run(connection, lambda kind: jobs.KINDS[kind](engine))


def run(connection: Connection, find: Callable[[str], jobs.Job]) -> None:
    """Hears orders; `find` gives the job of a kind."""
    connection.send(("ready", None))
    job: jobs.Job | None = None
    thread: threading.Thread | None = None
    while True:
        try:
            order = connection.recv()
        except (EOFError, OSError):
            break
        if order[0] == "stop":
            if job is not None:
                job.stop()
            continue
        if thread is not None:
            thread.join()
        job = find(order[1])
        thread = threading.Thread(target=_work, args=(connection, job, order[2]), daemon=True)
        thread.start()
    if job is not None:
        job.stop()


def _work(connection: Connection, job: jobs.Job, arguments: dict[str, Any]) -> None:
    pace = Pace()

    def update(content: dict[str, Any]) -> None:
        if pace.lets_through(time.monotonic()):
            connection.send(("update", content))

    try:
        answer: tuple[str, Any] = ("done", job.run(arguments, update))
    except ValueError as error:
        answer = ("refused", str(error))
    except Exception:
        # Nobody knows what state the engine is in: a new process answers the next question.
        traceback.print_exc()
        os._exit(1)
    try:
        connection.send(answer)
    except OSError:
        return  # nobody is there to hear it
