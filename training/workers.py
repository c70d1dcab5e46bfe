"""Tasks in worker processes, for self-play and matches. Owns what happens when a process of them dies."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import Connection
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks handed out per process: one to work on, one to go on with."""


class WorkerError(RuntimeError):
    """A worker process was killed."""


def results(
    work: Callable[[Task], Result], tasks: Iterable[Task], processes: int, in_order: bool = False
) -> Generator[Result]:
    """What `work` makes of each task, as it gets done or in the order of the tasks; few are taken ahead of the results.

    Raises what `work` raises, and WorkerError when a process was killed. At its end, also an early one or the end of
    this process, the workers end at once, whatever they are at.
    """
    todo = iter(tasks)
    context = multiprocessing.get_context("spawn")
    watched, leash = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, initializer=follow, initargs=(watched,))
    try:
        waiting = [pool.submit(work, task) for task in islice(todo, AHEAD * processes)]
        while waiting:
            done = waiting[:1] if in_order else completed(waiting)
            for future in done:
                waiting.remove(future)
                yield future.result()
            waiting += [pool.submit(work, task) for task in islice(todo, len(done))]
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process was killed, perhaps for want of memory: fewer --processes need less"
        ) from error
    finally:
        leash.close()
        pool.shutdown(cancel_futures=True)


def completed(waiting: list[Future[Result]]) -> list[Future[Result]]:
    """At least one of these that is done, in their order; those without a result last, so that no result is lost."""
    done = wait(waiting, return_when=FIRST_COMPLETED).done
    return sorted(filter(done.__contains__, waiting), key=lambda future: future.exception() is not None)


def follow(leash: Connection) -> None:
    """Ends this process with the results it works for. Nothing is ever sent: who waits for them holds the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent to answer

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            leash.recv()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
