"""`python -m bench memory`: one search of many simulations; does the process grow once its pools are full?

An hour of searching is given as a number of simulations: about 37 million with the network at the speed of the machine
in docs/strength.md. Without network, solvers and rollouts as many are done in minutes:
`--player "@renga:network=off,own_vcf_nodes=0,other_vcf_nodes=0,estimate_share=1"`.
"""

from __future__ import annotations

import argparse
import threading
import time
from dataclasses import dataclass, field

import cython_core as core
from bench.machine import machine_line
from bench.renga_player import thinker_from
from brain.clock import Limits
from brain.records import Request, Resources
from brain.selftest import resident_bytes

WIDTH = 20
CORNERS = ((4, 4), (15, 15), (4, 15), (15, 4))  # far from each other and under caro: nothing will be decided
DAY_S = 86400.0  # the nodes are the limit
BETWEEN_S = 0.2
NAME = "@renga"


@dataclass
class Watch:
    """Memory of this process, looked at from a thread of its own."""

    samples: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while True:
            self.samples.append(resident_bytes() or 0)
            if self._over.wait(BETWEEN_S):
                return

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def growth(self) -> int:
        """Bytes by which the second half of the time was above the first."""
        half = max(1, len(self.samples) // 2)
        return max(self.samples[half:] or self.samples) - max(self.samples[:half])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=37_000_000, help="simulations of the search (default %(default)s)")
    parser.add_argument("--player", default=NAME, help="Renga in this process, with other constants if you like")
    parser.add_argument("--max-memory", type=int, default=350, metavar="MB", help="as told by INFO max_memory")
    parser.add_argument("--tolerance", type=float, default=1.0, metavar="MB", help="growth that is forgiven")


def main(options: argparse.Namespace) -> int:
    """Returns 1 when memory grew."""
    name, _, constants = options.player.partition(":")
    if name != NAME:
        raise ValueError(f"only {NAME} can be watched from inside, not {options.player}")
    board = core.Board(WIDTH, WIDTH, core.CARO)
    for x, y in CORNERS:
        board.play(core.cell(x, y))
    thinker = thinker_from(constants, seed=1)
    resources = Resources(options.max_memory << 20)
    thinker.warm_up(board.rule, resources.memory)
    watch = Watch()
    limits = Limits(time.perf_counter(), DAY_S, DAY_S, max_nodes=options.nodes)
    analysis = thinker.analyse(Request(board, limits, resources=resources))
    watch.end()
    print(machine_line())
    print(f"{options.player}: {analysis.visits} simulations in {analysis.seconds:.0f} s")
    marks = [(f"{share:.0%}", watch.samples[int(share * (len(watch.samples) - 1))]) for share in (0, 0.1, 0.5, 1)]
    print("memory at " + ", ".join(f"{mark} {held / 2**20:.1f} MB" for mark, held in marks))
    grown, peak = watch.growth() / 2**20, max(watch.samples) / 2**20
    print(f"peak {peak:.1f} MB of {options.max_memory}; second half against first: {grown:+.1f} MB")
    return 1 if grown > options.tolerance or peak > options.max_memory else 0
