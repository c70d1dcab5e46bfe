"""`AnalysisStream`: a search in the background that says every so often how it stands."""

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
    search. What nobody has looked at in time is replaced by what is newer: a slow reader is never behind."""

    def __init__(self, run: Run) -> None:
        self._run, self._stop = run, Stop()
        self._changed = threading.Condition()
        self._newest: Analysis | None = None
        self._unseen = False
        self._finished = False
        self._error: BaseException | None = None
        # A daemon: a program that ends in the middle of an analysis does not wait for it.
        self._thread = threading.Thread(target=self._search, name="analysis", daemon=True)
        self._thread.start()

    @property
    def newest(self) -> Analysis | None:
        """The newest analysis, seen or not; None as long as there is none."""
        return self._newest

    def stop(self) -> None:
        """Ends the search soon, from any thread. What it has found by then can still be read."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits for the end of the search, at most for so long; whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def __iter__(self) -> Iterator[Analysis]:
        while True:
            with self._changed:
                # Without a time-out an interrupt by the keyboard would not be noticed on Windows.
                while not self._unseen and not self._finished:
                    self._changed.wait(0.5)
                if not self._unseen:
                    if self._error is not None:
                        raise self._error
                    return
                self._unseen = False
                analysis = self._newest
            assert analysis is not None
            yield analysis

    def __enter__(self) -> AnalysisStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        self.wait()

    def _publish(self, analysis: Analysis) -> None:
        with self._changed:
            self._newest, self._unseen = analysis, True
            self._changed.notify_all()

    def _search(self) -> None:
        try:
            self._run(self._publish, self._stop)
        except BaseException as error:
            self._error = error  # raised where the stream is read
        finally:
            with self._changed:
                self._finished = True
                self._changed.notify_all()
