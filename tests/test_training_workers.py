"""training.workers: results of tasks in other processes, and what happens when one of the processes is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import psutil
import pytest

from training.workers import AHEAD, WorkerError, completed, results


def double(number: int) -> int:
    return 2 * number


def kill_itself_at_two(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_every_task_has_its_result_in_order_where_that_is_wanted() -> None:
    assert list(results(double, range(7), 2, in_order=True)) == [0, 2, 4, 6, 8, 10, 12]
    assert sorted(results(double, range(7), 2)) == [0, 2, 4, 6, 8, 10, 12]


def test_few_tasks_are_taken_ahead_of_the_results() -> None:
    taken = []

    def tasks() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    found = results(double, tasks(), 1)
    next(found)
    found.close()
    assert len(taken) == AHEAD


@pytest.mark.parametrize("in_order", [False, True])
def test_a_killed_worker_is_an_error_after_the_results_before_it(in_order: bool) -> None:
    found = results(kill_itself_at_two, range(9), 1, in_order)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(WorkerError, match="a worker process was killed"):
        list(found)


def test_what_is_done_comes_in_the_order_of_the_tasks_and_failures_after_it() -> None:
    waiting: list[Future[int]] = [Future() for _ in range(8)]
    waiting[1].set_exception(BrokenProcessPool())
    for number in (6, 4, 2):
        waiting[number].set_result(number)
    assert completed(waiting) == [waiting[2], waiting[4], waiting[6], waiting[1]]


def test_what_a_task_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="x"):
        list(results(int, ["x"], 1))


def test_whoever_stops_early_does_not_wait_for_the_others() -> None:
    begin = time.monotonic()
    found = results(time.sleep, [0, 0, 600, 600], 2)
    next(found)
    found.close()
    assert time.monotonic() - begin < 60


def is_alive(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_workers_end_with_a_parent_that_was_killed() -> None:
    program = (
        "import operator, os, time\n"
        "from training.workers import results\n"
        "found = results(operator.call, [os.getpid] * 9, 1)\n"
        "print(next(found), flush=True)\n"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert is_alive(worker)
        parent.kill()
    deadline = time.monotonic() + 20
    while is_alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(worker)
