"""The tools that must be on the machine before a build, each with the command that installs it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from freeze.plan import ROOT, BuildError, Plan

PACKAGES = ("Cython", "setuptools", "pip")
"""What the Python that runs the build must have; everything else is pinned and downloaded."""
INSTALL_PACKAGES = {
    "linux": "make build",
    # Without the project itself: setup.py would ask for Microsoft's compiler, which cannot compile the core.
    "win32": "python -m pip install cython setuptools",
}
INSTALL_WINE = "sudo apt-get install --no-install-recommends wine wine64"
INSTALL_COMPILER = "sudo apt-get install gcc libc6-dev binutils"


def check(plan: Plan) -> None:
    """BuildError at the first tool that this plan needs and that is missing."""
    for package in PACKAGES:
        if importlib.util.find_spec(package) is None:
            how = INSTALL_PACKAGES[sys.platform]
            raise BuildError(f"{package} is missing in {sys.executable}; install it with: {how}")
    if plan.cross:
        wine()
    if plan.target == "linux":
        compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
        for tool in (compiler.split()[0], "objdump", "strip"):
            if shutil.which(tool) is None:
                raise BuildError(f"{tool} is missing; install it with: {INSTALL_COMPILER}")


def wine() -> str:
    """The program that runs Windows executables."""
    for name in ("wine", "wine64"):
        if found := shutil.which(name):
            return found
    raise BuildError(f"Wine is missing; install it with: {INSTALL_WINE}")


def better_python() -> str | None:
    """The Python of `make build`, if there is one and this is another: its tools are of the right versions."""
    home = ROOT / ".venv"
    own = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    return str(own) if own.exists() and Path(sys.prefix) != home else None
