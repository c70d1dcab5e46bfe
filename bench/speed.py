"""`python -m bench speed`: how fast each component is on the fixed positions, as medians over repeats."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bench import speed_core, speed_search, speed_shell
from bench.machine import machine_line
from bench.signature import compute


@dataclass(frozen=True)
class Measurement:
    name: str
    unit: str
    median: float
    best: float
    repeats: int

    @property
    def higher_is_better(self) -> bool:
        return self.unit.endswith("/s") or self.unit == "x"


def rate(work: Callable[[], int], repeats: int, seconds: float) -> list[float]:
    """Units per second in each of `repeats` runs of some `seconds`; `work` does a bit and says how much.

    Processor time, not wall time: every part runs on one thread, and the machine may have other work.
    """
    work()  # tables and caches are warm from here on
    rates = []
    for _ in range(repeats):
        done, started = 0, time.process_time()
        while (spent := time.process_time() - started) < seconds:
            done += work()
        rates.append(done / spent)
    return rates


def measure(only: str, repeats: int, seconds: float, command: str) -> list[Measurement]:
    found = []
    for part in chain(speed_core.parts(), speed_search.parts()):
        if only in part.name:
            rates = rate(part.work, repeats, seconds)
            if part.unit == "ns":
                times = [1e9 / r for r in rates]
                found.append(Measurement(part.name, "ns", statistics.median(times), min(times), repeats))
            else:
                found.append(Measurement(part.name, part.unit, statistics.median(rates), max(rates), repeats))
    for name, unit, probe in chain(speed_search.probes(), speed_shell.probes(command)):
        if only in name:
            values = [probe() for _ in range(repeats)]
            best = max(values) if unit == "x" else min(values)
            found.append(Measurement(name, unit, statistics.median(values), best, repeats))
    return found


def show(value: float, unit: str) -> str:
    if unit.endswith("/s"):
        for factor, letter in ((1e6, "M"), (1e3, "k")):
            if value >= factor:
                return f"{value / factor:.2f} {letter}{unit}"
    return f"{value:.{2 if unit == 'x' else 1}f} {unit}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", default="", help="components whose name contains this")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="per repeat")
    parser.add_argument(
        "--command", default=speed_shell.OUR_BRAIN, help="the program for the shell latencies"
    )
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--against", type=Path, help="earlier figures to compare with")


def main(options: argparse.Namespace) -> int:
    print(machine_line())
    earlier = {}
    if options.against:
        earlier = {m["name"]: m for m in json.loads(options.against.read_text())["measurements"]}
    found = measure(options.only, options.repeats, options.seconds, options.command)
    for m in found:
        line = f"{m.name:28} {show(m.median, m.unit):>16}   best {show(m.best, m.unit)}"
        if m.name in earlier:
            line += f"   {m.median / earlier[m.name]['median']:.3f} x before"
            line += " (more is better)" if m.higher_is_better else " (less is better)"
        print(line)
    signature = compute()
    print("signature " + " ".join(f"{name} {number}" for name, number in signature.items()))
    if options.json:
        data = {
            "machine": machine_line(),
            "signature": signature,
            "measurements": [{**m.__dict__} for m in found],
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n")
    return 0
