"""Source distribution and wheels, the same bytes for the same sources.

setuptools makes the contents; the archives are written here, members sorted and stamped alike. A wheel for Windows
is the Linux one with the modules that zig's clang has compiled in place of the others.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from freeze.fetch import OWN_WHEELS, fetch, run, say, unpacked
from freeze.plan import EPOCH, STAMP, BuildError
from freeze.stage import LEFT_OUT

Files = dict[str, bytes]
"""What an archive holds: names and contents."""

BUILD = "import setuptools.build_meta as b, sys; print(getattr(b, 'build_' + sys.argv[1])(sys.argv[2]))"


def source_distribution(source: Path, out: Path) -> Path:
    """`out`/renga-VERSION.tar.gz from the clean tree `source`."""
    made = _built("sdist", source, out)
    with tarfile.open(made) as archive:
        files = {
            member.name: (archive.extractfile(member) or io.BytesIO()).read() for member in archive if member.isfile()
        }
        executable = {member.name for member in archive if member.mode & 0o100}
    write_tar(made, files, executable)
    return made


def linux_wheel(source: Path, out: Path, cache: Path) -> Path:
    """A wheel for the Python that runs this and every Linux whose C library is not older than the symbols it needs."""
    made = _built("wheel", source, out)
    files = handed_out(read_zip(made))
    tag = _manylinux(made, cache)
    made.unlink()
    return write_wheel(files, tag, out)


def handed_out(files: Files) -> Files:
    """Without what only training runs, which is in no executable either: training needs the sources anyway."""
    rooms = tuple(f"cython_core/{room}/" for room in LEFT_OUT)
    return {name: data for name, data in files.items() if not name.startswith(rooms)}


def windows_wheel(linux: Path, modules: Mapping[str, Path], version: str, out: Path) -> Path:
    """The wheel `linux` with other modules: {name in the wheel: compiled file}. `version` is spelt like `311`."""
    files = {name: data for name, data in read_zip(linux).items() if not name.endswith(".so")}
    for name, path in modules.items():
        files[name] = path.read_bytes()
    return write_wheel(files, f"cp{version}-cp{version}-win_amd64", out)


def write_wheel(files: Files, tag: str, out: Path) -> Path:
    """A wheel of these files under another tag; its list of files and checksums is made anew."""
    (info,) = {name.split("/")[0] for name in files if name.split("/")[0].endswith(".dist-info")}
    told = files[f"{info}/WHEEL"].decode()
    files = files | {f"{info}/WHEEL": re.sub(r"(?m)^Tag: .*$", f"Tag: {tag}", told).encode()}
    record = f"{info}/RECORD"
    lines = [
        f"{name},sha256={_digest(files[name])},{len(files[name])}" for name in sorted(files) if name != record
    ]
    files[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    wheel = out / f"{info.removesuffix('.dist-info')}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, STAMP)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o755 if name.endswith((".so", ".pyd")) else 0o644) << 16
            archive.writestr(member, files[name])
    return wheel


def read_zip(path: Path) -> Files:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def write_tar(path: Path, files: Files, executable: set[str]) -> None:
    """A .tar.gz without a trace of when, where and by whom it was made."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=EPOCH) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(files[name]), EPOCH
            member.mode = 0o755 if name in executable else 0o644
            archive.addfile(member, io.BytesIO(files[name]))


def _built(kind: str, source: Path, out: Path) -> Path:
    """What setuptools makes of the tree; compiled without debug data, which would tell the folder."""
    say(f"building the {kind}")
    env = dict(os.environ) | {"SOURCE_DATE_EPOCH": str(EPOCH), "PYTHONHASHSEED": "0"}
    env["CFLAGS"] = f"{env.get('CFLAGS', '')} -g0 -ffile-prefix-map={source}=.".strip()
    told = run([sys.executable, "-c", BUILD, kind, str(out)], f"building the {kind}", cwd=source, env=env)
    return out / told.splitlines()[-1]


def _manylinux(wheel: Path, cache: Path) -> str:
    """The wheel's tag with the oldest C library that auditwheel finds to be enough."""
    env = dict(os.environ) | {"PYTHONPATH": str(unpacked(fetch("auditwheel", cache, OWN_WHEELS), cache))}
    told = run([sys.executable, "-m", "auditwheel", "show", str(wheel)], "auditwheel", env=env)
    found = re.search(r'platform tag:\s*"(manylinux_\w+)"', told)
    if found is None:
        raise BuildError(f"auditwheel finds no manylinux platform for {wheel.name}:\n{told}")
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}-{found[1]}"


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
