"""Names of files, as managers say them."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISREG


def complaint(path: str) -> str | None:
    """Why this file can be neither read nor written, as the end of a sentence; None if it can, or is not there yet."""
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return None
    except ValueError:  # a zero byte, or a character that no name has on this machine
        return "is no name of a file"
    except OSError as error:
        return f"cannot be opened: {error.strerror}"
    # A pipe would be waited for, and a device has no end.
    return None if S_ISREG(mode) else "is there, and is no file"
