"""The thinking thread: what is given is done in order, and a thread that never comes back is no loss."""

from __future__ import annotations

import queue
import threading
from typing import Any

from brain.worker import Worker

PATIENCE_S = 10.0


def test_thinks_are_done_in_order_on_one_other_thread() -> None:
    done: queue.Queue[tuple[Any, threading.Thread]] = queue.Queue()
    worker = Worker(lambda think: done.put((think, threading.current_thread())))
    thinks: list[Any] = [object() for _ in range(5)]
    for think in thinks:
        worker.give(think)
    found = [done.get(timeout=PATIENCE_S) for _ in thinks]
    assert [think for think, _ in found] == thinks
    assert len({thread for _, thread in found}) == 1 and found[0][1] is not threading.current_thread()


def test_an_abandoned_thread_ends_with_its_think_and_the_next_think_gets_another() -> None:
    begun: queue.Queue[threading.Thread] = queue.Queue()
    release = threading.Event()

    def work(think: Any) -> None:
        begun.put(threading.current_thread())
        release.wait(PATIENCE_S)

    worker = Worker(work)
    first: Any = object()
    worker.give(first)
    hung = begun.get(timeout=PATIENCE_S)
    worker.abandon()
    worker.give(first)
    assert begun.get(timeout=PATIENCE_S) is not hung
    release.set()
    hung.join(PATIENCE_S)
    assert not hung.is_alive()
