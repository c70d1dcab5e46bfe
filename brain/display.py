"""An analysis as text: for people, and on request for the boards that draw it.

People read cells in the notation that their board shows; the board itself gets the coordinates of the protocol.
"""

from __future__ import annotations

import cython_core as core
from brain import protocol
from brain.notation import LETTERS, Notation
from brain.records import XY, Analysis, Decision, Line
from brain.score import score_of


def evaluation(line: Line) -> str:
    """The value as a signed score (0 = even, 200 per unit of log-odds), or a proven end by its plies: +M5, -M4."""
    if line.proof == 0:
        return "+0"
    if line.proof is not None:
        return f"{'+' if line.proof > 0 else '-'}M{abs(line.proof)}"
    return f"{score_of(line.value):+d}"


def chances(wdl: tuple[float, float, float]) -> str:
    win, draw, loss = (f"{100 * share:.1f}%" for share in wdl)
    return f"Win {win} Draw {draw} Loss {loss}"


def progress(analysis: Analysis, height: int, notation: Notation = LETTERS) -> str:
    """One line for people: depth, evaluation, win, draw and loss, visits, speed, time and expected continuation."""
    best = analysis.best
    return protocol.message(
        f"Depth {analysis.depth}-{analysis.seldepth} | Eval {evaluation(best)} | {chances(best.wdl)}"
        f" | Visits {analysis.visits} | Speed {analysis.speed:.0f}/s | Time {1000 * analysis.seconds:.0f}ms"
        f" | {notation.labels(_cells(best), height)}"
    )


def from_book(line: Line, height: int, notation: Notation = LETTERS) -> str:
    """One line for people on a decision that no search has made now."""
    return protocol.message(
        f"Book | Eval {evaluation(line)} | Win rate {100 * line.value:.1f}% | Visits {line.visits}"
        f" | {notation.labels(_cells(line), height)}"
    )


def ranking(analysis: Analysis, height: int, notation: Notation = LETTERS) -> list[str]:
    """The lines of YXNBEST, best first."""
    depth = f"{analysis.depth}-{analysis.seldepth}"
    return [
        protocol.message(f"({rank}) {evaluation(line)} | {depth} | {notation.labels(_cells(line), height)}")
        for rank, line in enumerate(analysis.lines, 1)
    ]


def defence(decision: Decision, moves: int, height: int, notation: Notation = LETTERS) -> str:
    """How many of the moves hold and which, for people."""
    lost, held = len(decision.lost), [core.xy(cell) for cell in decision.held]
    untried = moves - lost - len(held)
    rest = f"; {untried} were not tried" if untried else ""
    if untried == moves:
        return protocol.message(f"stopped before any of {moves} moves was tried")
    if not held:
        verdict = f"{lost} moves lose by force" if untried else f"every move loses by force, {lost} of them"
        return protocol.message(verdict + rest)
    if not lost:
        return protocol.message(f"no move loses by force{rest}")
    return protocol.message(f"{lost} moves lose by force; {len(held)} hold: {notation.labels(held, height)}{rest}")


def losing(decision: Decision) -> list[str]:
    """The cells that Yixin-Board draws as lost."""
    return [f"MESSAGE REALTIME LOSE {protocol.move(core.xy(cell))}" for cell in decision.lost]


def detail(analysis: Analysis, depth: int) -> list[str]:
    """The INFO blocks that analysis boards draw from, and the cell to mark (only after show_detail 2 or 3).

    All lines have one depth, and it has to be larger than before: Yixin-Board wipes out what it has drawn with a
    smaller one and keeps the rest.
    """
    lines = []
    for number, line in enumerate(analysis.lines):
        lines += [
            f"INFO NUMPV {len(analysis.lines)}",
            f"INFO PV {number}",
            f"INFO DEPTH {depth}",
            f"INFO SELDEPTH {max(depth, analysis.seldepth)}",
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
