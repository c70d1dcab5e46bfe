"""The network of a thinker: loaded in the background, never waited for, absent without harm.

Owns the decision whether there is a network (file, library, memory) and says it once; `evaluator` does the work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brain.evaluator import Evaluator

LIBRARY_BYTES = 90 << 20
"""Private memory of numpy, ONNX Runtime and a session."""
TABLE_BYTES = 397488 * 48 * 2
"""One line table of the shipped network: 48 channels of 16 bits."""


class Network:
    """At most one evaluator, for the rule being played."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._evaluator: Evaluator | None = None
        self._rule: int | None = None
        self._loading: threading.Thread | None = None
        self._hopeless = False
        self._cramped = False
        self.bytes = 0
        """Memory it holds or is about to hold."""

    def load(self, rule: int, memory: int) -> None:
        """Starts loading for a rule unless that is done, under way or hopeless. Returns at once."""
        if self._hopeless or self._rule == rule or self.loading:
            return
        needed = LIBRARY_BYTES + TABLE_BYTES * (2 if rule == 4 else 1)
        if memory < needed:
            if not self._cramped:
                self._say(f"playing without network: it needs {needed >> 20} MB, more than max_memory leaves")
            self._cramped = True
            return
        self.bytes = needed
        self._rule = None  # from here on nobody may use the tables of the rule before
        # No daemon: killed inside ONNX Runtime at the end of an interpreter it would abort the process. The brain
        # itself leaves without waiting for anybody.
        self._loading = threading.Thread(target=self._load, args=(rule,), name="network")
        self._loading.start()

    def _load(self, rule: int) -> None:
        # Imported here: numpy and ONNX Runtime cost more start-up time than everything else together.
        try:
            from brain.evaluator import Evaluator
            from brain.weights import WeightsError
        except ModuleNotFoundError:
            # The lean build has no numpy by design: nothing to tell anyone.
            self._hopeless, self.bytes = True, 0
            return
        except ImportError as error:
            self._give_up(error)
            return
        try:
            # Another rule needs other tables only; opening the files again would scatter memory.
            if self._evaluator is None:
                self._evaluator = Evaluator.load(rule)
            else:
                self._evaluator.use_rule(rule)
            self._rule = rule
        except WeightsError as error:
            self._give_up(error)

    def _give_up(self, reason: Exception) -> None:
        self._hopeless = True
        self.bytes = 0
        self._say(f"playing without network: {reason}")

    @property
    def loading(self) -> bool:
        """Is it being loaded just now, in a thread that may keep the interpreter for a while?"""
        return self._loading is not None and self._loading.is_alive()

    def ready(self, rule: int) -> bool:
        return self._rule == rule

    def evaluator(self, rule: int) -> Evaluator | None:
        """The evaluator for a rule, or None as long as there is none."""
        return self._evaluator if self.ready(rule) else None
