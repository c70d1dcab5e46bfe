"""`python -m bench executables PATH...`: size, start-up and memory of frozen executables, as a Markdown table."""

from __future__ import annotations

import argparse
import shlex
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from bench.machine import machine_line
from freeze.parcel import total_size
from freeze.talk import MOVE, Talk

TOURNAMENT = ("INFO timeout_turn 5000", "INFO timeout_match 100000", "INFO max_memory 367001600", "INFO rule 0")


def about_ms(command: Sequence[str]) -> float:
    """From the start of the process to its answer to ABOUT."""
    with Talk(command) as talk:
        talk.send("ABOUT")
        talk.expect(".+")
        return 1000 * (time.monotonic() - talk.started)


def first_move_ms(command: Sequence[str]) -> float:
    """From the start of the process to a move without thinking time: what a judge bills to move one."""
    with Talk(command) as talk:
        talk.send("START 20", "INFO timeout_turn 0", "BOARD", "10,10,2", "DONE")
        talk.expect("OK")
        talk.expect(MOVE)
        return 1000 * (time.monotonic() - talk.started)


def memory_mb(command: Sequence[str]) -> tuple[float, float]:
    """Resident and private memory of the process and its children, after a move at tournament settings."""
    with Talk(command) as talk:
        talk.send("START 20", *TOURNAMENT, "BOARD", "10,10,2", "11,11,1", "9,10,2", "DONE")
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
        return resident / 1024, private / 1024


def family(process: int) -> list[int]:
    """A process and its descendants; Linux only."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(member for child in children for member in family(int(child)))]


def row(executable: Path, start: Sequence[str], repeats: int) -> str:
    """One line of the table."""
    command = [*start, str(executable)]
    folder = executable.parent if (executable.parent / "_internal").is_dir() else executable
    archive = folder.parent / "renga.zip"
    about_ms(command)  # files are in the page cache from here on
    about = statistics.median(about_ms(command) for _ in range(repeats))
    first = statistics.median(first_move_ms(command) for _ in range(repeats))
    resident, private = memory_mb(command)
    kind = "onedir" if folder != executable else "onefile"
    zipped = f"{archive.stat().st_size / 1e6:.1f}" if folder != executable and archive.exists() else "-"
    name = "/".join((*folder.parts[-3:-1], executable.name))
    size = total_size(folder) / 1e6
    return f"| {name} | {kind} | {size:.1f} | {zipped} | {about:.0f} | {first:.0f} | {resident:.0f} | {private:.0f} |"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("executables", nargs="+", type=Path, help="as build_exe.py leaves them in dist")
    parser.add_argument("--start", default="", help="command that goes before the path, such as wine")
    parser.add_argument("--repeats", type=int, default=7)


def main(options: argparse.Namespace) -> int:
    print(machine_line())
    print()
    print("| executable | kind | MB | zip MB | ABOUT ms | first move ms | resident MB | private MB |")
    print("|---|---|---|---|---|---|---|---|")
    for executable in options.executables:
        print(row(executable.resolve(), shlex.split(options.start), options.repeats), flush=True)
    return 0
