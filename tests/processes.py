"""Commands for tests that start processes."""

import os
import sys


def python_after(before: str, *arguments: str) -> list[str]:
    """`python ARGUMENTS` in a process that runs `before` first, to set a limit or a signal that outlives exec.

    Not by `preexec_fn`: that runs Python in a fork of this process, which may have threads (pytest-xdist's among them).
    """
    script = f"import os, sys\n{before}\nos.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    return [sys.executable, "-c", script, *arguments]


def plain_environment() -> dict[str, str]:
    """Ours without the sanitizers of the checked build, which reserve terabytes and catch signals: for what they have
    nothing to check in."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
