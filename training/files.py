"""Files that are whole or not there: written beside their place and moved into it in one step; and who may write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.holding import HeldError, hold


class WriteError(RuntimeError):
    """A file could not be written; the text names it. What stood there before still stands."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Failures to write inside the block become a WriteError for `path`: a full disk alone does not say where."""
    try:
        yield
    except WriteError:
        raise
    except (OSError, RuntimeError) as error:  # PyTorch reports a failed write as a RuntimeError
        raise WriteError(f"{path}: cannot be written: {error}") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the path to write to; it takes the place of `path` when the block ends well and is removed otherwise."""
    part = path.with_name(path.name + ".part")
    with naming(path):
        try:
            yield part
            with part.open("r+b") as file:
                os.fsync(file.fileno())  # else a power cut may leave the name without its contents
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Holds a file or folder that is there: a second process is refused by a WriteError, a killed one blocks nobody."""
    held = os.open(path, os.O_RDONLY)
    try:
        hold(held, path)
        yield
    except HeldError as error:
        raise WriteError(str(error)) from error
    finally:
        os.close(held)
