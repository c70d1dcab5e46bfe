"""The descriptors to the manager: lines cut to length, pipes that do not block, readers that are gone."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from brain.pipe import LONGEST_LINE, UNREAD_S, Backlog, Heard, Pipe

PATIENCE_S = 10.0


@contextmanager
def pipes() -> Iterator[tuple[Pipe, int, int]]:
    """A pipe, where to write its input and where to read its output."""
    input_fd, to_brain = os.pipe()
    from_brain, output_fd = os.pipe()
    yield Pipe(input_fd, output_fd, None), to_brain, from_brain
    for fd in (to_brain, output_fd, from_brain):
        with suppress(OSError):
            os.close(fd)


def heard_lines(pipe: Pipe) -> queue.Queue[Heard]:
    lines: queue.Queue[Heard] = queue.Queue()
    pipe.listen(lines.put)
    return lines


@pytest.mark.parametrize("ended", [True, False])
def test_an_overlong_line_is_cut_wherever_it_ends(ended: bool) -> None:
    """`ended`: its last bytes and its end arrive in one read."""
    with pipes() as (pipe, to_brain, _):
        lines = heard_lines(pipe)
        rest = LONGEST_LINE // 2 if ended else 2 * LONGEST_LINE
        for piece in (b"A" * (LONGEST_LINE - 1), b"B" * rest + b"\nABOUT\n"):
            while piece:
                piece = piece[os.write(to_brain, piece[: 1 << 16]) :]
        first = lines.get(timeout=PATIENCE_S).line
        assert first == "A" * (LONGEST_LINE - 1) + "B"
        assert lines.get(timeout=PATIENCE_S).line == "ABOUT"


def test_input_that_does_not_block_is_waited_for() -> None:
    with pipes() as (pipe, to_brain, _):
        os.set_blocking(pipe._input_fd, False)
        lines = heard_lines(pipe)
        time.sleep(0.05)
        os.write(to_brain, b"ABOUT\n")
        assert lines.get(timeout=PATIENCE_S).line == "ABOUT"
        os.close(to_brain)
        assert lines.get(timeout=PATIENCE_S).line is None


@pytest.mark.parametrize("blocking", [True, False])
def test_a_manager_that_reads_late_gets_every_line(blocking: bool) -> None:
    with pipes() as (pipe, _, from_brain):
        os.set_blocking(pipe._output_fd, blocking)
        lines = [f"MESSAGE {number}" for number in range(40_000)]
        writer = threading.Thread(target=pipe.write, args=(lines,), daemon=True)
        writer.start()
        time.sleep(0.2)
        assert writer.is_alive(), "more than a pipe holds"
        wanted = "".join(f"{line}\n" for line in lines).encode()
        got = b""
        while len(got) < len(wanted):
            got += os.read(from_brain, 1 << 16)
        writer.join(PATIENCE_S)
        assert got == wanted and not pipe.closed


def test_what_was_heard_is_limited_by_its_length_and_nothing_is_lost() -> None:
    backlog: Backlog[Heard] = Backlog(10 * LONGEST_LINE)
    long, short = Heard("x" * LONGEST_LINE, 0.0), Heard("", 0.0)
    put = 0
    with suppress(queue.Full):
        while put < 100:
            backlog.put_nowait(long)
            put += 1
    assert 9 <= put <= 10
    assert [backlog.get_nowait() for _ in range(put)] == [long] * put
    with pytest.raises(queue.Empty):
        backlog.get_nowait()
    for _ in range(2000):
        backlog.put_nowait(short)


def test_unread_output_is_given_up_when_the_conversation_ends() -> None:
    with pipes() as (pipe, _, _):
        writer = threading.Thread(target=pipe.write, args=(["MESSAGE x"] * 40_000,), daemon=True)
        writer.start()
        writer.join(2 * UNREAD_S)
        assert writer.is_alive() and not pipe.closed, "before the end it is waited for"
        pipe.leaving = True
        writer.join(PATIENCE_S)
        assert not writer.is_alive() and pipe.closed
