"""Self-play beside the learning: a thread that has games played elsewhere and puts each on the disk as it ends."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from training.files import naming
from training.selfplay import HEADING, TURNS_AT_ONCE, Settings, append_line, played, playing_order
from training.window import next_number, segment_path


class Gatherer:
    """As a context: games are played within it. At its end those under way are waited for and kept.

    A run begins a segment of its own, and its number is the seed of all dice: no game is played twice.
    """

    def __init__(self, folder: Path, settings: Settings, processes: int, ray: str) -> None:
        self._folder, self._processes, self._ray = folder, processes, ray
        (folder / "games").mkdir(parents=True, exist_ok=True)
        self._number = next_number(folder)
        self._settings = replace(settings, seed=self._number)
        self._file: BinaryIO | None = None
        self._changed = threading.Condition()
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._gather, daemon=True)
        self.games = 0
        """In the segment that is being written."""

    def __enter__(self) -> Gatherer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self.rotate()

    def check(self) -> None:
        """Raises what has ended the games."""
        if self._failure is not None:
            raise self._failure

    @property
    def path(self) -> Path:
        """The segment that is being written, or will be with the next game."""
        return segment_path(self._folder, self._number)

    def wait_for(self, games: int, seconds: float) -> bool:
        """Waits at most `seconds` until the segment has this many games; says whether it has them."""
        with self._changed:
            return self._changed.wait_for(lambda: self.games >= games or self._failure is not None, seconds)

    def use(self, network: Path) -> None:
        """Games that are begun from now on are played by this network."""
        self._settings = replace(self._settings, network=str(network))

    def rotate(self) -> None:
        """Ends the segment that is being written; the next game begins another."""
        with self._changed:
            if self._file is not None:
                self._file.close()
                self._file = None
                self._number += 1
                self.games = 0

    def _tasks(self) -> Iterator[tuple[Settings, int]]:
        """Numbered games without end, in blocks of rules; the first rule of a block is another in every run."""
        turn = TURNS_AT_ONCE * len(self._settings.rules)
        for block in itertools.count():
            for number in playing_order(self._settings, range(block * turn, (block + 1) * turn)):
                if self._ended.is_set():
                    return
                yield self._settings, number

    def _gather(self) -> None:
        try:
            with closing(played(self._tasks(), self._processes, self._ray)) as lines:
                for line in lines:
                    with self._changed:
                        self._write(line)
                        self._changed.notify_all()
        except BaseException as error:  # handed over: `check` raises it
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _write(self, line: str) -> None:
        with naming(self.path):
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
                append_line(self._file, HEADING + json.dumps(self._settings.told()))
            append_line(self._file, line)
        self.games += 1
