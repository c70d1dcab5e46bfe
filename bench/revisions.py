"""An older revision of Renga as an opponent: `git:REV` names it, and it is checked out and built once."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build" / "revisions"


def command_of(revision: str) -> str:
    """The command line that runs this revision; builds it first where that was not done before."""
    done = _git("rev-parse", "--short", "--verify", f"{revision}^{{commit}}")
    if done.returncode:
        raise ValueError(f"git knows no revision {revision!r}")
    folder = HOME / done.stdout.strip()
    if not (folder / ".built").exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(
            ["git", "archive", done.stdout.strip()], cwd=ROOT, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        made = subprocess.run(build, cwd=folder, capture_output=True, text=True)
        if made.returncode:
            raise ValueError(f"revision {revision} does not build: {made.stderr[-300:]}")
        (folder / ".built").touch()
    # The path goes in front of the installed package, whatever the working directory is.
    program = (
        f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); runpy.run_module('brain', None, '__main__')"
    )
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}"


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
