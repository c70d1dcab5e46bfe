"""`AnalysisStream`: a search in the background that reports how it stands at regular intervals."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import TracebackType

from renga.records import Analysis
from renga.search import OnUpdate, Stop

Run = Callable[[OnUpdate, Stop], None]
"""Searches until the stop is set, and publishes what it finds."""


class AnalysisStream:
    """Iterating gives the newest analysis that was not seen yet, waits for one where there is none, and ends with the
    search. What nobody has looked at in time is replaced by what is newer: a slow reader is never behind.

    A stream that nobody holds any more stops its search.
    """

    def __init__(self, run: Run) -> None:
        self._stop, self._news = Stop(), _News()
        # A daemon: a program that ends in the middle of an analysis does not wait for it. It must not hold the stream.
        self._thread = threading.Thread(target=self._news.gather, args=(run, self._stop), name="analysis", daemon=True)
        self._thread.start()

    @property
    def newest(self) -> Analysis | None:
        """The newest analysis, seen or not; None as long as there is none."""
        return self._news.newest

    def stop(self) -> None:
        """Ends the search soon, from any thread. What it has found by then can still be read."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits for the end of the search, or for `seconds`; says whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def __iter__(self) -> Iterator[Analysis]:
        while (analysis := self._news.next()) is not None:
            yield analysis

    def __enter__(self) -> AnalysisStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        self.wait()

    def __del__(self) -> None:
        self.stop()


class _News:
    """What the searching thread and the readers of a stream share."""

    def __init__(self) -> None:
        self.newest: Analysis | None = None
        self._changed = threading.Condition()
        self._unseen = self._finished = False
        self._error: BaseException | None = None

    def gather(self, run: Run, stop: Stop) -> None:
        """The search itself, on its thread."""
        try:
            run(self._publish, stop)
        except BaseException as error:
            self._error = error  # raised where the stream is read
        finally:
            with self._changed:
                self._finished = True
                self._changed.notify_all()

    def _publish(self, analysis: Analysis) -> None:
        with self._changed:
            self.newest, self._unseen = analysis, True
            self._changed.notify_all()

    def next(self) -> Analysis | None:
        """The newest analysis once there is one that was not seen yet; None at the end. Raises what broke."""
        with self._changed:
            # Without a time-out an interrupt by the keyboard would not be noticed on Windows.
            while not self._unseen and not self._finished:
                self._changed.wait(0.5)
            if self._unseen:
                self._unseen = False
                return self.newest
            if self._error is not None:
                raise self._error
            return None
