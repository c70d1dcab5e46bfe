"""Tasks in worker processes, for self-play and matches. Owns what happens when a process of them dies."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks handed out per process: one to work on, one to go on with."""


class WorkerError(RuntimeError):
    """A worker process was killed."""


def results(
    work: Callable[[Task], Result], tasks: Iterable[Task], processes: int, in_order: bool = False
) -> Iterator[Result]:
    """What `work` makes of each task, as it gets done or in the order of the tasks; few are taken ahead of the results.

    Raises what `work` raises, and WorkerError when a process was killed. At its end, also an early one, it waits for
    the tasks that are handed out.
    """
    todo = iter(tasks)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=end_with_parent)
    try:
        waiting = [pool.submit(work, task) for task in islice(todo, AHEAD * processes)]
        while waiting:
            done = waiting[:1] if in_order else wait(waiting, return_when=FIRST_COMPLETED).done
            for future in done:
                waiting.remove(future)
                yield future.result()
                waiting += [pool.submit(work, task) for task in islice(todo, 1)]
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process was killed, perhaps for want of memory: fewer --processes need less; "
            "games already written are kept"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def end_with_parent() -> None:
    """Ends this process when its parent is gone: a worker of a killed run would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in worker processes only"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
