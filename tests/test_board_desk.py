"""The engine's process: asked, stopped, killed and replaced, with a stand-in for the engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest

from renga.web import worker
from renga.web.desk import Desk, EngineDied, Refused, Ticket
from tests import board_engine

PATIENCE_S = 60.0


def run(test: Callable[[Desk], Awaitable[None]], **options: Any) -> None:
    """A test with a desk of its own."""

    async def whole() -> None:
        desk = Desk(**{"serve": board_engine.serve, **options})
        desk.open()
        try:
            await asyncio.wait_for(test(desk), PATIENCE_S)
        finally:
            desk.close()
            assert desk.process is not None
            desk.process.join(PATIENCE_S)
            assert not desk.process.is_alive()

    asyncio.run(whole())


def ticket(*moves: str, owner: object = "tab", **more: Any) -> Ticket:
    return Ticket("analyse", {"position": {"moves": list(moves)}}, owner, **more)


async def first_update(desk: Desk, work: Ticket) -> None:
    """Submits a ticket and waits until it is being worked on."""
    began = asyncio.Event()
    work.on_update = lambda update: began.set()
    desk.submit(work)
    await began.wait()


@pytest.mark.parametrize("gap_s", [0.001, 0.03, 0.054, 0.099, 0.11, 0.3])
def test_reports_of_any_pace_become_ten_updates_a_second_at_most(gap_s: float) -> None:
    pace = worker.Pace()
    passed = [at for at in (1000 + index * gap_s for index in range(int(20 / gap_s))) if pace.lets_through(at)]
    assert len(passed) == pytest.approx(min(20 / gap_s, 200), abs=3)
    assert max(sum(1 for other in passed if 0 <= other - at < 1) for at in passed) <= 11
    assert min(after - before for before, after in pairwise(passed)) > 0.049


def test_updates_come_at_most_ten_times_a_second_and_end_with_the_stop() -> None:
    async def test(desk: Desk) -> None:
        seen: list[float] = []
        work = ticket(endless=True, on_update=lambda update: seen.append(time.monotonic()))
        desk.submit(work)
        while len(seen) < 5:
            await asyncio.sleep(0.01)
        desk.stop(work)
        answer = await work.answer
        assert answer["count"] > 0 and work.stopped == "asked"
        # What was sent at an interval may arrive at another: the mean is what the process decides.
        assert seen[-1] - seen[0] > 0.09 * (len(seen) - 1) - 0.1
        count = len(seen)
        await asyncio.sleep(0.3)
        assert len(seen) == count

    run(test)


def test_a_search_that_does_not_hear_the_stop_loses_its_process_and_the_next_one_is_answered() -> None:
    async def test(desk: Desk) -> None:
        states: list[str] = []
        desk.listeners.add(states.append)
        stubborn = ticket("a1", endless=True)
        await first_update(desk, stubborn)
        desk.stop(stubborn)
        assert await stubborn.answer == {}
        assert "restarted" in states
        work = ticket("d1")
        desk.submit(work)
        assert (await work.answer)["kind"] == "analyse"

    run(test, grace_s=0.3)


@pytest.mark.parametrize("trouble", ["b1", "e1"])
def test_a_process_that_dies_or_fails_is_replaced_and_its_ticket_fails(trouble: str) -> None:
    async def test(desk: Desk) -> None:
        work = ticket(trouble)
        waiting = ticket("d1", owner="another tab")
        desk.submit(work)
        desk.submit(waiting)
        with pytest.raises(EngineDied):
            await work.answer
        assert (await waiting.answer)["kind"] == "analyse", "who waits is served by the new process"

    run(test)


def test_a_killed_process_is_replaced_while_nothing_was_asked() -> None:
    async def test(desk: Desk) -> None:
        work = ticket("d1")
        desk.submit(work)
        first = (await work.answer)["pid"]
        assert desk.process is not None
        desk.process.kill()
        while desk.process.pid == first:
            await asyncio.sleep(0.01)
        again = ticket("d1")
        desk.submit(again)
        assert (await again.answer)["pid"] != first

    run(test)


def test_an_engine_that_never_starts_is_given_up_and_said_so() -> None:
    async def test(desk: Desk) -> None:
        states: list[str] = []
        desk.listeners.add(states.append)
        while "broken" not in states:
            await asyncio.sleep(0.01)
        assert states.count("restarted") == 2

    run(test, serve=board_engine.serve_badly)


def test_what_the_engine_refuses_is_an_answer_too() -> None:
    async def test(desk: Desk) -> None:
        work = ticket("c1")
        desk.submit(work)
        with pytest.raises(Refused, match="not this one"):
            await work.answer

    run(test)


def test_a_newer_question_of_the_same_tab_replaces_the_older_one() -> None:
    async def test(desk: Desk) -> None:
        old = ticket(endless=True)
        await first_update(desk, old)
        new = ticket("d1")
        desk.submit(new)
        await asyncio.gather(old.answer, new.answer)
        assert old.stopped == "replaced" and not new.stopped

    run(test)


def test_live_analysis_gives_way_to_another_tab() -> None:
    async def test(desk: Desk) -> None:
        mine = ticket(endless=True, owner="one tab")
        await first_update(desk, mine)
        theirs = ticket("d1", owner="another tab")
        desk.submit(theirs)
        assert "kind" in await theirs.answer
        await mine.answer
        assert mine.stopped == "elsewhere"

    run(test)


def test_a_review_gives_way_to_any_question_and_waits_for_its_end() -> None:
    async def test(desk: Desk) -> None:
        behind = ticket(owner="review", background=True)
        await first_update(desk, behind)
        front = ticket(endless=True)
        await first_update(desk, front)
        assert behind.stopped == "foreground"
        again = ticket("d1", owner="review", background=True)
        desk.submit(again)
        await asyncio.sleep(0.3)
        assert not again.answer.done()
        desk.stop(front)
        assert "kind" in await again.answer

    run(test)


def test_nothing_goes_on_for_a_tab_that_has_gone() -> None:
    async def test(desk: Desk) -> None:
        mine = ticket(endless=True, owner="gone")
        await first_update(desk, mine)
        mine.answer.cancel()  # whoever waited for it has been cancelled
        desk.drop("gone")
        work = ticket("d1", owner="another tab")
        desk.submit(work)
        assert "kind" in await work.answer

    run(test)
