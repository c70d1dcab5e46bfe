"""An analysis as text: for people, and on request for the boards that draw it.

People read cells as column letter and row number from the bottom; boards get the coordinates of the protocol.
"""

from __future__ import annotations

import math

import cython_core as core
from brain import protocol
from brain.records import XY, Analysis, Line


def label(xy: XY, height: int) -> str:
    """A cell as people write it: column letter, row number from the bottom (H8 is the centre of 15x15)."""
    x, y = xy
    letters = chr(ord("A") + x) if x < 26 else "A" + chr(ord("A") + x - 26)
    return f"{letters}{height - y}"


def variation(line: Line, height: int) -> str:
    """The expected continuation, for people."""
    return " ".join(label(xy, height) for xy in _cells(line))


def evaluation(line: Line) -> str:
    """The value as a signed score (0 = even, 200 per unit of log-odds), or a proven end by its plies: +M5, -M4."""
    if line.proof == 0:
        return "+0"
    if line.proof is not None:
        return f"{'+' if line.proof > 0 else '-'}M{abs(line.proof)}"
    bounded = min(0.9999, max(0.0001, line.value))
    return f"{round(200 * math.log(bounded / (1 - bounded))):+d}"


def progress(analysis: Analysis, height: int) -> str:
    """One line for people: depth, evaluation, win, draw and loss, visits, speed, time and expected continuation."""
    best = analysis.best
    win, draw, loss = (f"{100 * share:.1f}%" for share in best.wdl)
    return protocol.message(
        f"Depth {analysis.depth}-{analysis.seldepth} | Eval {evaluation(best)} | Win {win} Draw {draw} Loss {loss}"
        f" | Visits {analysis.visits} | Speed {analysis.speed:.0f}/s | Time {1000 * analysis.seconds:.0f}ms"
        f" | {variation(best, height)}"
    )


def ranking(analysis: Analysis, height: int) -> list[str]:
    """The lines of YXNBEST, best first."""
    depth = f"{analysis.depth}-{analysis.seldepth}"
    return [
        protocol.message(f"({rank}) {evaluation(line)} | {depth} | {variation(line, height)}")
        for rank, line in enumerate(analysis.lines, 1)
    ]


def detail(analysis: Analysis) -> list[str]:
    """The INFO blocks that analysis boards draw from, and the cell to mark (only after show_detail 2 or 3).

    All lines have one depth, which never falls: Yixin-Board wipes out what it has drawn with a smaller one.
    """
    lines = []
    for number, line in enumerate(analysis.lines):
        lines += [
            f"INFO NUMPV {len(analysis.lines)}",
            f"INFO PV {number}",
            f"INFO DEPTH {analysis.depth}",
            f"INFO SELDEPTH {analysis.seldepth}",
            f"INFO NODES {analysis.visits}",
            f"INFO TOTALNODES {analysis.visits}",
            f"INFO TOTALTIME {1000 * analysis.seconds:.0f}",
            f"INFO SPEED {analysis.speed:.0f}",
            f"INFO EVAL {evaluation(line)}",
            f"INFO WINRATE {line.value:.4f}",
            f"INFO BESTLINE {protocol.moves(_cells(line))}",
            "INFO PV DONE",
        ]
    return [*lines, "MESSAGE REALTIME REFRESH", f"MESSAGE REALTIME BEST {protocol.move(core.xy(analysis.best.move))}"]


def _cells(line: Line) -> list[XY]:
    return [core.xy(cell) for cell in line.pv or (line.move,)]
