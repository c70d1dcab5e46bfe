"""What is to be built and where it goes: the command line turned into one record. Touches no file."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

NAME = "pbrain-renga"
PEOPLE = "renga"
"""The second program of a folder build that is not lean: the commands for people, and the board."""
ROOT = Path(__file__).resolve().parent.parent
STAMP = (2026, 1, 1, 0, 0, 0)
"""The date of every file in every archive: the same contents give the same bytes."""
EPOCH = 1767225600
"""The same moment in seconds, for tools that ask SOURCE_DATE_EPOCH."""


class BuildError(Exception):
    """The build cannot go on; the text tells the user what to do."""


@dataclass(frozen=True)
class Plan:
    """One build."""

    target: str
    """`linux` or `windows`."""
    onefile: bool
    """One self-unpacking file instead of a folder."""
    flavour: str
    """`lean` (the core runs the network), `full` (ONNX Runtime is there too) or `gpu` (the one that knows CUDA)."""
    zip: bool
    """Also pack the tournament zip."""
    test: bool
    """Run every trial on the product, not only the first words."""
    cache: Path
    """Downloads and the Windows tools live here."""
    build: Path
    """Intermediate files."""
    dist: Path
    """Products. A foreign target and a flavour other than full have folders of their own in it."""
    cross: bool
    """The product is for another system than this one (Windows on Linux, through Wine)."""

    @property
    def suffix(self) -> str:
        return ".exe" if self.target == "windows" else ""

    @property
    def shelf(self) -> Path:
        """The folder in dist this plan's products go to."""
        shelf = self.dist / "windows" if self.cross else self.dist
        return shelf if self.flavour == "full" else shelf / self.flavour

    @property
    def executable(self) -> Path:
        file = NAME + self.suffix
        return self.shelf / file if self.onefile else self.shelf / NAME / file

    @property
    def for_people(self) -> Path | None:
        """The program `renga` beside the executable, where there is one."""
        has_one = self.flavour != "lean" and not self.onefile
        return self.executable.with_name(PEOPLE + self.suffix) if has_one else None

    @property
    def archive(self) -> Path:
        return self.shelf / "renga.zip"

    @property
    def work(self) -> Path:
        """PyInstaller's own intermediate files."""
        return self.build / f"{self.target}-{self.flavour}-{'onefile' if self.onefile else 'onedir'}"


def default_cache() -> Path:
    """`RENGA_CACHE`, or renga-build in the user's cache folder."""
    if "RENGA_CACHE" in os.environ:
        return Path(os.environ["RENGA_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    return Path(base) / "renga-build"


def parse(arguments: list[str], platform: str = sys.platform) -> Plan:
    """The plan the command line asks for. BuildError when the combination makes no sense on `platform`."""
    own = "windows" if platform == "win32" else "linux"
    parser = argparse.ArgumentParser(
        prog="build_exe.py",
        description="Freezes Renga into a standalone executable under dist/.",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--onedir", action="store_true", help="a folder with the executable (default)")
    shape.add_argument("--onefile", action="store_true", help="one file; unpacks itself at each start")
    flavour = parser.add_mutually_exclusive_group()
    flavour.add_argument("--lean", action="store_true", help="no numpy, no onnxruntime: smallest")
    flavour.add_argument("--gpu", action="store_true", help="with onnxruntime-gpu; tested without CUDA only")
    parser.add_argument(
        "--target",
        choices=("linux", "windows"),
        default=own,
        help="windows on Linux cross-builds through Wine (default: this system)",
    )
    parser.add_argument("--zip", action="store_true", help="also make the tournament package renga.zip")
    parser.add_argument(
        "--test", action="store_true", help="run every trial and protocol_tests on the product"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=None,
        metavar="DIR",
        help="downloads and Windows tools (default: RENGA_CACHE or ~/.cache/renga-build)",
    )
    parser.add_argument(
        "--dist", type=Path, default=ROOT / "dist", metavar="DIR", help="products (default: dist)"
    )
    given = parser.parse_args(arguments)
    if platform not in ("linux", "win32"):
        raise BuildError(f"executables are built on Linux or Windows, not on {platform}")
    if given.target == "linux" and own == "windows":
        raise BuildError("a Linux executable is built on Linux (or in WSL)")
    if given.zip and given.onefile:
        raise BuildError("the tournament zip holds a folder build: --zip goes without --onefile")
    if given.zip and given.target != "windows":
        raise BuildError("the tournament zip holds a Windows executable: --zip needs --target windows")
    return Plan(
        target=given.target,
        onefile=given.onefile,
        flavour="lean" if given.lean else "gpu" if given.gpu else "full",
        zip=given.zip,
        test=given.test,
        cache=(given.cache or default_cache()).expanduser().resolve(),
        build=ROOT / "build",
        dist=given.dist.resolve(),
        cross=given.target != own,
    )
