"""`pbrain-renga --selftest`: are this machine and this copy of the engine in order? A few seconds.

For users of the executable, so it needs nothing but the bundle: core, network, memory and clock are tried the
way a game uses them. Each check returns what it found in a few words or raises SelftestError.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cython_core as core
from brain.engine import Engine

OPENING = ((7, 7), (8, 8), (7, 8), (7, 6), (6, 9), (9, 6), (8, 7))
"""A few plies of an ordinary game: what network and thinker are asked about."""
PARITY = 0.02
"""Largest difference between the network's two forms (tables and trunk; whole graph), in shares of one."""
TURN_MS = 400
MEMORY_LIMIT = 350 << 20
"""What tournaments allow, in bytes."""


class SelftestError(Exception):
    """Something is wrong with this copy or this machine."""


def core_plays_by_the_rules() -> str:
    """Random games forth and back, and one example of each rule's peculiarity."""
    chance = random.Random(5)
    plies = 0
    for rule in core.RULES:
        board = core.Board(15, 15, rule)
        keys = []
        cells = [core.cell(x, y) for y in range(15) for x in range(15)]
        chance.shuffle(cells)
        for cell in cells[:120]:
            if not board.legal(cell):
                continue
            keys.append(board.key)
            board.play(cell)
        plies += len(keys)
        while keys:
            board.undo()
            _demand(board.key == keys.pop(), "taking back a move does not restore the position")
    row = [core.cell(x, 7) for x in (4, 5, 6, 8, 9)]
    for rule, wins in ((core.FREESTYLE, True), (core.STANDARD, False)):
        board = core.Board(15, 15, rule)
        for cell in row:
            board.put(cell, core.BLACK)
        board.put(core.cell(7, 7), core.BLACK)
        _demand((board.winner == core.BLACK) == wins, f"six in a row is misjudged under rule {rule}")
    board = core.Board(15, 15, core.RENJU)
    for x, y in ((6, 7), (8, 7), (7, 6), (7, 8)):
        board.put(core.cell(x, y), core.BLACK)
    _demand(board.is_foul(core.cell(7, 7)), "a double three is not seen as a foul")
    return f"{plies} plies played and taken back"


def network_agrees_with_itself() -> str:
    """The files are whole, and the form used in games says what the whole graph says."""
    try:
        import numpy as np

        from brain import weights
        from brain.evaluator import VARIANTS, Evaluator
    except ModuleNotFoundError:
        return "none in this build"
    except ImportError as error:
        raise SelftestError(f"a library is damaged: {error}") from error
    boards = np.zeros((len(OPENING), 15, 15), np.uint8)
    for ply, board in enumerate(boards):
        for number, (x, y) in enumerate(OPENING[:ply]):
            board[y, x] = 1 if (ply - number) % 2 == 0 else 2
    try:
        evaluator = Evaluator.load(core.FREESTYLE)
        policy, value = evaluator.judge(boards, core.FREESTYLE, core.BLACK)
        whole_policy, whole_value = evaluator.run_full(boards, VARIANTS[core.FREESTYLE, core.BLACK])
    except weights.WeightsError as error:
        raise SelftestError(str(error)) from error
    odds, whole_odds = np.exp(policy), np.exp(whole_policy)
    policy_gap = np.abs(odds / odds.sum(1, keepdims=True) - whole_odds / whole_odds.sum(1, keepdims=True)).max()
    worst = float(np.maximum(policy_gap, np.abs(value - whole_value).max()))  # keeps what is no number at all
    _demand(worst <= PARITY, f"the network's two forms differ by {worst:.3f}")
    return f"{evaluator.files.full.name} on {evaluator.provider}, its two forms within {worst:.4f}"


def moves_come_in_time() -> str:
    """A won position is won, and an ordinary one is answered within its limit."""
    engine = Engine()
    engine.inform("timeout_turn", str(TURN_MS))
    engine.inform("max_memory", str(MEMORY_LIMIT))
    engine.start(15, 15)
    four = ((4, 7, 1), (5, 7, 1), (6, 7, 1), (7, 7, 1), (4, 8, 2), (5, 8, 2), (6, 8, 2), (7, 9, 2))
    x, y = _answer(engine, four)
    _demand((x, y) in ((3, 7), (8, 7)), f"four in a row is answered with {x},{y}")
    began = time.perf_counter()
    _answer(engine, [(x, y, 1 + number % 2) for number, (x, y) in enumerate(OPENING[:-1])])
    spent = (time.perf_counter() - began) * 1000
    _demand(spent <= TURN_MS, f"a move at {TURN_MS} ms took {spent:.0f} ms")
    return f"{spent:.0f} of {TURN_MS} ms used"


def clock_is_fine_enough() -> str:
    """The clock that deadlines are read from moves in small steps, and waiting ends when it should."""
    steps = []
    for _ in range(5):
        then = now = time.perf_counter()
        while now == then:
            now = time.perf_counter()
        steps.append(now - then)
    began = time.perf_counter()
    time.sleep(0.02)
    late = time.perf_counter() - began - 0.02
    _demand(min(steps) <= 0.02, f"the clock moves in steps of {min(steps) * 1000:.0f} ms")
    _demand(late <= 0.2, f"waiting 20 ms took {late * 1000:.0f} ms longer")
    return f"steps of {min(steps) * 1000:.3f} ms, waiting ends {late * 1000:.1f} ms late"


def memory_is_within_limits() -> str:
    """After all that the process holds less than tournaments allow."""
    held = resident_bytes()
    if held is None:
        return "unknown on this system"
    _demand(held <= MEMORY_LIMIT, f"{held >> 20} MB are held, {MEMORY_LIMIT >> 20} MB are allowed")
    return f"{held >> 20} MB"


CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("core", core_plays_by_the_rules),
    ("network", network_agrees_with_itself),
    ("moves", moves_come_in_time),
    ("clock", clock_is_fine_enough),
    ("memory", memory_is_within_limits),
)


def run() -> int:
    """Runs every check, one line each; the exit code, 0 if all is well."""
    failures = 0
    for name, check in CHECKS:
        try:
            verdict = f"ok: {check()}"
        except SelftestError as error:
            verdict = f"FAILED: {error}"
            failures += 1
        print(f"{name:8} {verdict}", flush=True)
    print("all is well" if not failures else f"{failures} of {len(CHECKS)} checks failed", flush=True)
    return 1 if failures else 0


def resident_bytes() -> int | None:
    """Memory this process holds in RAM, or None where we cannot tell."""
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        class Counters(ctypes.Structure):
            """PROCESS_MEMORY_COUNTERS of the Windows API; only the working set is of interest."""

            _fields_ = [
                ("size", wintypes.DWORD),
                ("faults", wintypes.DWORD),
                ("peak", ctypes.c_size_t),
                ("working_set", ctypes.c_size_t),
                ("others", ctypes.c_size_t * 6),
            ]

        counters = Counters(size=ctypes.sizeof(Counters))
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        ask = kernel.K32GetProcessMemoryInfo
        ask.argtypes = (wintypes.HANDLE, ctypes.POINTER(Counters), wintypes.DWORD)
        done = ask(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.size)
        return int(counters.working_set) if done else None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _answer(engine: Engine, stones: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """The engine's move in a position of (x, y, owner), played."""
    think = engine.board(stones, 0, time.perf_counter())
    decision = engine.commit(think, engine.ponder(think), time.perf_counter())
    return decision.moves[0]


def _demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise SelftestError(complaint)
