"""A stand-in for the engine's process, for tests of the board's server: obedient, stubborn or short-lived on request.

What it does is said by the position's first move: see `FakeJob`.
"""

from __future__ import annotations

import os
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

from renga.web import worker


class FakeJob:
    """An endless count. a1: does not hear a stop; b1: the process dies; c1: refuses; d1: answers at once; e1: fails."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._stop = threading.Event()

    def run(self, arguments: dict[str, Any], update: Any) -> dict[str, Any]:
        first = (arguments["position"]["moves"] or [""])[0]
        if first == "b1":
            os._exit(3)
        if first == "c1":
            raise ValueError("not this one")
        if first == "e1":
            raise RuntimeError("a fault of the engine")
        if first == "d1":
            return {"kind": self._kind, "pid": os.getpid(), "evaluation": {"win_rate": 0.5}}
        count = 0
        while first == "a1" or not self._stop.is_set():
            count += 1
            update({"count": count})
            time.sleep(0.005)
        return {"count": count}

    def stop(self) -> None:
        self._stop.set()


def serve(connection: Connection, options: dict[str, Any]) -> None:
    worker.run(connection, FakeJob)


def serve_badly(connection: Connection, options: dict[str, Any]) -> None:
    os._exit(3)
