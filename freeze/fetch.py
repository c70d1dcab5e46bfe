"""Downloads what a pin file names, once, into the cache. pip finds the files and checks their hashes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from freeze.plan import BuildError

PINS = Path(__file__).parent / "pins"
WHEELS = ("--only-binary", ":all:")
OWN_WHEELS = (*WHEELS, "--python-version", f"{sys.version_info.major}.{sys.version_info.minor}")
"""For the Python that runs this; named, so that another one gets a download of its own."""
WINDOWS_WHEELS = (*WHEELS, "--platform", "win_amd64", "--python-version", "3.11")
"""For the Python of the cross-build."""


def say(text: str) -> None:
    """One progress line, on stderr with the rest of the build's talk."""
    print(f"[build_exe {time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def run(command: list[str], what: str, *, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Runs a tool and returns its output; a failure becomes one BuildError with the output's end."""
    # Pipes, never files: under Wine a regular file as stdout fails at start-up.
    done = subprocess.run(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-30:])
        raise BuildError(f"{what} failed (exit code {done.returncode}):\n{tail}")
    return done.stdout


def fetch(pin: str, cache: Path, options: tuple[str, ...] = ()) -> Path:
    """The folder holding the files `pins/<pin>.txt` names, downloaded unless it is complete already.

    The folder's name carries a digest of the pin file and the options, so a changed pin is a new download
    and an interrupted one (no `complete` mark) starts over.
    """
    pins = PINS / f"{pin}.txt"
    digest = hashlib.sha256(pins.read_bytes() + repr(options).encode()).hexdigest()[:12]
    folder = cache / "downloads" / f"{pin}-{digest}"
    if (folder / "complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    say(f"downloading {pin}")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir", "--no-deps", "--require-hashes"]
    run([*pip, *options, "--dest", str(folder), "--requirement", str(pins)], f"downloading pins/{pin}.txt")
    (folder / "complete").touch()
    return folder


def unpacked(wheels: Path, cache: Path) -> Path:
    """The folder in the cache where the wheels of a download are laid out, done now unless it is there already."""
    folder = cache / wheels.name
    if not folder.exists():
        say(f"unpacking {wheels.name}")
        part = cache / f"{wheels.name}.part"
        shutil.rmtree(part, ignore_errors=True)  # of a build that was interrupted
        unpack(wheels, part)
        part.rename(folder)
    return folder


def unpack(wheels: Path, into: Path) -> None:
    """Lays the wheels of a folder out as site-packages would have them (libraries only, no scripts)."""
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(into)
