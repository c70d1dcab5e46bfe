"""Packs the tournament zip and checks it against Gomocup's terms."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from freeze.fetch import say
from freeze.plan import PEOPLE, STAMP, BuildError, Plan

TOURNAMENT_EXE = "pbrain-renga64.exe"
PEOPLE_EXE = f"{PEOPLE}.exe"
# Our own limits, in bytes. Organisers have asked for at most 8 MB in some years and allowed 256 MB in others.
LIMITS = {"full": 30_000_000, "lean": 8_000_000, "gpu": 256_000_000}


def pack(executable: Path, archive: Path) -> None:
    """Zips the executable's folder: the executable under its tournament name in the root, data beside it."""
    folder = executable.parent
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = TOURNAMENT_EXE if path == executable else path.relative_to(folder).as_posix()
                member = zipfile.ZipInfo(name, STAMP)
                member.compress_type = zipfile.ZIP_DEFLATED
                package.writestr(member, path.read_bytes())


def check(archive: Path, limit: int, for_people: bool = False) -> None:
    """BuildError unless the zip is one that Gomocup's manager would take and pick the engine from.

    `for_people`: the board's program is in it, too.
    """
    with zipfile.ZipFile(archive) as package:
        names = package.namelist()
    programs = [name for name in names if name.lower().endswith((".exe", ".com", ".bat"))]
    # A tournament's manager looks at the root only, and a second program might confuse its choice. Piskvork prefers
    # a name with 64 in it to all others, so that the package for people can be given to it as it is.
    wanted = [TOURNAMENT_EXE, PEOPLE_EXE] if for_people else [TOURNAMENT_EXE]
    if programs != wanted:
        raise BuildError(
            f"{archive.name} must hold {' and '.join(wanted)} in its root and no other program, not {programs}"
        )
    if strange := [name for name in names if not re.fullmatch(r"[A-Za-z0-9._/-]+", name)]:
        raise BuildError(f"{archive.name} holds names that some managers cannot unpack: {strange}")
    size = archive.stat().st_size
    if size > limit:
        raise BuildError(
            f"{archive.name} is {size / 1e6:.1f} MB, more than its limit of {limit / 1e6:.0f} MB"
        )
    say(f"{archive.name}: {size / 1e6:.1f} MB, {len(names)} files")


def total_size(product: Path) -> int:
    """Bytes of a file, or of all files in a folder (links are no files)."""
    if product.is_file():
        return product.stat().st_size
    return sum(path.stat().st_size for path in product.rglob("*") if path.is_file() and not path.is_symlink())


def megabytes(plan: Plan) -> str:
    """The size of a plan's product in words."""
    product = plan.executable if plan.onefile else plan.executable.parent
    return f"{total_size(product) / 1e6:.1f} MB"
