"""`python -m bench executables`: size, start-up and memory of everything in dist, as a Markdown table."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.machine import machine_line
from freeze import chain
from freeze.parcel import total_size
from freeze.plan import NAME, ROOT, default_cache
from freeze.talk import MOVE, Talk

POSITION = ("INFO book 0", "BOARD", "10,10,2", "11,11,1", "9,10,2", "DONE")
"""Something to search."""
TOURNAMENT = ("INFO timeout_turn 5000", "INFO timeout_match 100000", "INFO max_memory 367001600", "INFO rule 0")


def about_ms(command: Sequence[str]) -> float:
    """From the start of the process to its answer to ABOUT."""
    with Talk(command) as talk:
        talk.send("ABOUT")
        talk.expect(".+")
        spent = time.monotonic() - talk.started
        talk.end()  # killed, a onefile build would leave its folder behind
        return 1000 * spent


def first_move_ms(command: Sequence[str]) -> float:
    """From the start of the process to a move without thinking time: what a judge bills to move one."""
    with Talk(command) as talk:
        talk.send("START 20", "INFO timeout_turn 0", *POSITION)
        talk.expect("OK")
        talk.expect(MOVE)
        spent = time.monotonic() - talk.started
        talk.end()
        return 1000 * spent


def memory_mb(command: Sequence[str]) -> tuple[float, float]:
    """Resident and private memory of the process and its children, after a move at tournament settings."""
    with Talk(command) as talk:
        talk.send("START 20", *TOURNAMENT, *POSITION)
        talk.expect("OK")
        talk.expect(MOVE)
        resident = private = 0
        for process in family(talk.process.pid):
            fields = dict(
                line.split(":", 1)
                for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
            )
            resident += int(fields["Rss"].split()[0])
            private += sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty"))
        talk.end()
        return resident / 1024, private / 1024


def family(process: int) -> list[int]:
    """A process and its descendants; Linux only."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(member for child in children for member in family(int(child)))]


def products(dist: Path) -> list[Path]:
    """Every executable in a folder of products: Linux before Windows, folder builds before single files."""
    found = (path for name in (NAME, f"{NAME}.exe") for path in dist.rglob(name) if path.is_file())
    return sorted(found, key=lambda path: (path.suffix, path.parent.name != NAME, path))


def starter(executable: Path) -> list[str]:
    """What goes before its path: Wine, for a Windows executable elsewhere."""
    if executable.suffix != ".exe" or sys.platform == "win32":
        return []
    return chain.prepare(default_cache()).start


def row(executable: Path, name: str, repeats: int) -> str:
    """One line of the table."""
    command = [*starter(executable), str(executable)]
    folder = executable.parent if (executable.parent / "_internal").is_dir() else executable
    onedir = folder != executable
    archive = folder.parent / "renga.zip"
    about_ms(command)  # files are in the page cache from here on
    about = statistics.median(about_ms(command) for _ in range(repeats))
    first = statistics.median(first_move_ms(command) for _ in range(repeats))
    resident, private = memory_mb(command)
    zipped = f"{archive.stat().st_size / 1e6:.1f}" if onedir and archive.exists() else "-"
    size = total_size(folder) / 1e6
    return (
        f"| {name} | {'onedir' if onedir else 'onefile'} | {size:.1f} | {zipped} "
        f"| {about:.0f} | {first:.0f} | {resident:.0f} | {private:.0f} |"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="folder of products (default: dist)")
    parser.add_argument("--repeats", type=int, default=7)


def main(options: argparse.Namespace) -> int:
    dist = options.dist.resolve()
    executables = products(dist)
    if not executables:
        raise FileNotFoundError(f"no executable in {dist}: build one with build_exe.py")
    print(machine_line())
    print()
    print("| executable | kind | MB | zip MB | ABOUT ms | first move ms | resident MB | private MB |")
    print("|---|---|---|---|---|---|---|---|")
    for executable in executables:
        name = executable.relative_to(dist).as_posix()
        print(row(executable, name, options.repeats), flush=True)
    return 0
