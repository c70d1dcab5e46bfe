"""`python -m tests.fuzz readers`: bytes that reach new code are kept and changed further, by atheris.

atheris counts the branches of Python code that is imported under its eyes; the compiled core is not counted, but its
crashes are found all the same. The corpus lies outside the tree and is taken up again by the next run.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path


def missing() -> str | None:
    """One line where it cannot be done here."""
    if importlib.util.find_spec("atheris") is None:
        return "atheris is not installed: pip install atheris, best in an environment of its own"
    return None


def fuzz(name: str, corpus: Path, seconds: int, runs: int, seed: int) -> None:
    """Fuzzes one target. Never returns: atheris ends the process, with 0 unless something was found."""
    import atheris

    with atheris.instrument_imports(include=["brain", "renga", "training", "tests", "bench"]):
        from tests.fuzz.targets import TARGETS
    target = TARGETS[name]
    folder = corpus / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds):
        (folder / f"seed-{number}").write_bytes(data)
    words = corpus / f"{name}.dict"
    words.write_text("".join(f'"{word}"\n' for word in (*target.words, "\\x00")))  # an empty file is refused
    counted = Counted(target.run, target.is_text, corpus / f"{name}.count")
    arguments = [
        sys.argv[0], f"-runs={runs}" if runs else f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=20",
        "-rss_limit_mb=1500", "-max_len=8192", f"-dict={words}", f"-artifact_prefix={corpus / name}-found-",
        str(folder),
    ]  # fmt: skip
    atheris.Setup(arguments, counted)
    atheris.Fuzz()


class Counted:
    """A target that keeps account of inputs and of their lines, in a file: atheris leaves without a word."""

    EVERY_S = 5.0

    def __init__(self, run: Callable[[bytes], None], is_text: bool, account: Path) -> None:
        self._run, self._is_text, self._account = run, is_text, account
        before = account.read_text().split() if account.exists() else ["0", "0"]
        self._inputs, self._lines = int(before[0]), int(before[1])
        self._told = time.monotonic()

    def __call__(self, data: bytes) -> None:
        self._inputs += 1
        self._lines += data.count(b"\n") + 1 if self._is_text else 1
        if time.monotonic() - self._told > self.EVERY_S:
            self._told = time.monotonic()
            self._account.write_text(f"{self._inputs} {self._lines}\n")
        self._run(data)


def account(corpus: Path) -> list[tuple[str, int, int]]:
    """Target, inputs and lines of all runs with this corpus."""
    counts = []
    for path in sorted(corpus.glob("*.count")):
        inputs, lines = path.read_text().split()
        counts.append((path.stem, int(inputs), int(lines)))
    return counts
