"""What a figure belongs to: the machine it was taken on, the revision, and the engine by its files."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE_OF = (
    "brain/*.py",
    "cython_core/**/*.py",
    "cython_core/**/*.pyx",
    "cython_core/**/*.pxd",
    "weights/*.onnx",
    "bench/renga_player.py",
    "bench/seeds.py",
    "bench/simple_players.py",
)
"""Whatever our own players do is in these files."""


def cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def revision() -> str:
    """Short commit name, with + where the tree has changes; `unknown` outside a checkout."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"


def commit_of(name: str) -> str:
    """The commit, in full, that a name such as HEAD~1 stands for now; ValueError if git knows none."""
    command = ["git", "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"git knows no revision {name!r}")
    return done.stdout.strip()


def engine_fingerprint() -> str:
    """Names the contents of the files our own players are made of: commits of anything else leave it as it is."""
    total = hashlib.sha256()
    for path in sorted(path for pattern in MADE_OF for path in ROOT.glob(pattern)):
        total.update(path.relative_to(ROOT).as_posix().encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


def resident_of(pid: int) -> int:
    """Bytes a process holds in RAM; OSError where there is no /proc."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def machine_line() -> str:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return (
        f"{cpu_name()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, load {load:.1f}, revision {revision()}"
    )
