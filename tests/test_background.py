"""The thinking thread: what is given is done in order, and a thread that never comes back is no loss."""

from __future__ import annotations

import queue
import threading

from brain.background import Background

PATIENCE_S = 10.0


def test_jobs_are_done_in_order_on_one_other_thread() -> None:
    done: queue.Queue[tuple[int, threading.Thread]] = queue.Queue()
    background = Background()
    for number in range(5):
        background.give(lambda number=number: done.put((number, threading.current_thread())))  # type: ignore[misc]
    found = [done.get(timeout=PATIENCE_S) for _ in range(5)]
    assert [number for number, _ in found] == [0, 1, 2, 3, 4]
    assert len({thread for _, thread in found}) == 1 and found[0][1] is not threading.current_thread()


def test_an_abandoned_thread_ends_with_its_job_and_the_next_job_gets_another() -> None:
    begun: queue.Queue[threading.Thread] = queue.Queue()
    release = threading.Event()

    def job() -> None:
        begun.put(threading.current_thread())
        release.wait(PATIENCE_S)

    background = Background()
    background.give(job)
    hung = begun.get(timeout=PATIENCE_S)
    background.abandon()
    background.give(job)
    assert begun.get(timeout=PATIENCE_S) is not hung
    release.set()
    hung.join(PATIENCE_S)
    assert not hung.is_alive()
