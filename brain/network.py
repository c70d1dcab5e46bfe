"""The network of a thinker: loaded in the background, absent without harm.

Owns the decision whether there is a network (file, library, memory) and in which form, and says it once;
`core_evaluator` or `onnx_evaluator` does the work.
"""

from __future__ import annotations

import contextlib
import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path

from brain.core_evaluator import CoreEvaluator
from brain.evaluator import LIBRARY_BYTES, Evaluator
from brain.weights import WeightsError, find
from cython_core import RULE_BOOK

LOADING_BYTES = 72 << 20
"""What making a table needs beside it, for a moment."""
TABLE_BYTES = 397488 * 48 * 2
"""One line table of the shipped network: 48 channels of 16 bits."""
PROVIDERS = ("auto", "cuda", "core", "cpu")


def load_evaluator(rule: int, path: Path | None = None, provider: str = "auto") -> Evaluator:
    """A network in the fastest form this machine offers: on CUDA, in the core, by ONNX Runtime on the CPU.

    provider: one of PROVIDERS. Any failure is one WeightsError.
    """
    find(path)  # what is missing can be said before any library is loaded
    if provider == "auto" and cuda_offered():
        # Where CUDA is installed but does not work, the others still do.
        with contextlib.suppress(WeightsError, ImportError):
            from brain.onnx_evaluator import OnnxEvaluator

            evaluator = OnnxEvaluator.load(rule, path)
            if evaluator.provider == "cuda":
                return evaluator
    if provider in ("auto", "core"):
        try:
            return CoreEvaluator.load(rule, path)
        except WeightsError as error:
            # A network of another kind than the core runs, or a damaged one: ONNX Runtime knows, if it is there. Where
            # the core finds no memory there is none for a library, and its own failure would hide the reason.
            if provider == "core" or not has_library() or isinstance(error.__cause__, MemoryError):
                raise
    from brain.onnx_evaluator import OnnxEvaluator

    return OnnxEvaluator.load(rule, path, provider)


def has_library() -> bool:
    """Is ONNX Runtime installed?"""
    return importlib.util.find_spec("onnxruntime") is not None


def cuda_offered() -> bool:
    """Is ONNX Runtime's GPU flavour installed? Importing it to ask would take longer than all the rest."""
    found = importlib.util.find_spec("onnxruntime")
    return found is not None and found.origin is not None and any(
        (Path(found.origin).parent / "capi").glob("*onnxruntime_providers_cuda*")
    )


class Network:
    """At most one evaluator, for the rule being played.

    path: another network than the shipped one; provider: one of PROVIDERS; wanted: False for none at all.
    """

    def __init__(
        self, say: Callable[[str], None], path: Path | None = None, provider: str = "auto", wanted: bool = True
    ) -> None:
        self._say, self._path, self._provider, self._wanted = say, path, provider, wanted
        self._evaluator: Evaluator | None = None
        self._rule: int | None = None
        self._loading: threading.Thread | None = None
        self._hopeless = False
        self._cramped = False
        self._lent = 0
        self.bytes = 0
        """Memory it holds or is about to hold."""

    def lend(self) -> Network:
        """To a thinker. A second one follows a search that did not come back: a network each would fill the memory."""
        self._lent += 1
        return self

    def load(self, rule: int, memory: int) -> None:
        """Starts loading for a rule unless that is done, under way or hopeless. Returns at once."""
        if not self._wanted or self._hopeless or self._rule == rule or self.loading:
            return
        needed = TABLE_BYTES * (1 if RULE_BOOK[rule].same_for_both else 2) + LIBRARY_BYTES * self._may_take_library()
        if memory < needed + LOADING_BYTES:
            if not self._cramped:
                wanted = needed + LOADING_BYTES >> 20
                self._say(f"playing without network: it needs {wanted} MB, more than max_memory leaves")
            self._cramped = True
            return
        self.bytes = needed
        self._rule = None  # from here on nobody may use the tables of the rule before
        # No daemon: killed inside ONNX Runtime at the end of an interpreter it would abort the process. The brain
        # itself leaves without waiting for anybody.
        self._loading = threading.Thread(target=self._load, args=(rule,), name="network")
        try:
            self._loading.start()
        except RuntimeError as error:  # no memory for its stack
            self.give_up(error)

    def load_now(self, rule: int) -> None:
        """The same, but it is there afterwards, or a WeightsError says why not."""
        if self._wanted and self._rule != rule:
            self.bytes = self._open(rule).bytes
            self._rule = rule

    def _may_take_library(self) -> bool:
        """Only the shipped network is known to run without ONNX Runtime."""
        if self._provider == "auto":
            return cuda_offered() or (self._path is not None and has_library())
        return self._provider != "core"

    def _load(self, rule: int) -> None:
        try:
            evaluator = self._open(rule)
            self.bytes = max(self.bytes, evaluator.bytes)
            self._rule = rule
        except Exception as error:  # nobody waits for this thread: what is not said here is never said
            self.give_up(error)

    def _open(self, rule: int) -> Evaluator:
        """The evaluator with the tables of a rule. Only these differ: opening the files again would scatter memory. But
        a search that did not come back may still be reading the tables that are there."""
        if self._lent > 1:
            self._evaluator = None
        if self._evaluator is None:
            self._evaluator = load_evaluator(rule, self._path, self._provider)
        else:
            self._evaluator.use_rule(rule)
        return self._evaluator

    def give_up(self, reason: Exception) -> None:
        """From now on there is no network."""
        self._hopeless = True
        self._evaluator = self._rule = None
        self.bytes = 0
        self._say(f"playing without network: {str(reason) or 'out of memory'}")

    @property
    def loading(self) -> bool:
        """Is it being loaded just now, in a thread that may keep the interpreter for a while?"""
        return self._loading is not None and self._loading.is_alive()

    def wait(self, seconds: float) -> None:
        """Until it is loaded, but no longer than this."""
        if self._loading is not None:
            self._loading.join(seconds)

    @property
    def rule(self) -> int | None:
        """The rule whose tables are there."""
        return self._rule

    def ready(self, rule: int) -> bool:
        return self._rule == rule

    def evaluator(self, rule: int) -> Evaluator | None:
        """The evaluator for a rule, or None as long as there is none."""
        return self._evaluator if self.ready(rule) else None
