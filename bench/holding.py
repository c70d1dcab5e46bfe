"""One writer a file or folder: a second process is refused, and one that was killed blocks nobody."""

from __future__ import annotations

from pathlib import Path


class HeldError(ValueError):
    """Another process is writing there; the text names the place."""


def hold(descriptor: int, path: Path) -> None:
    """Holds what `descriptor` has opened, until it is closed; HeldError if another process does."""
    try:
        import fcntl
    except ImportError:  # Windows: nobody watches
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise HeldError(f"{path}: another process is writing there") from error
