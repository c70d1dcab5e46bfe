"""`pbrain-renga --selftest`: are this machine and this copy of the engine in order? A few seconds.

For users of the executable, so it needs nothing but the bundle: core, network, memory and clock are tried the
way a game uses them. Each check returns what it found in a few words or raises SelftestError.
"""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import cython_core as core
from brain import weights
from brain.book import Book
from brain.book_file import BookError
from brain.clock import Timer
from brain.engine import Engine
from brain.evaluator import Evaluator
from brain.network import load_evaluator
from brain.parity import CORE_PARITY, PARITY, distance, largest, sample_boards, stored_answers

OPENING = ((7, 7), (8, 8), (7, 8), (7, 6), (6, 9), (9, 6), (8, 7))
"""A few plies of an ordinary game: what the thinker is asked about."""
TRY_LIBRARY = "--try-library"
"""The argument by which a frozen copy only loads the library and leaves."""
LIBRARY_S = 60.0
"""Longest time that may take."""
TURN_MS = 400
TRIES = 3  # a machine may be busy once
MEMORY_LIMIT = 350 << 20
"""What tournaments allow, in bytes."""


class SelftestError(Exception):
    """Something is wrong with this copy or this machine."""


def core_plays_by_the_rules() -> str:
    """Random games played and taken back, and one example of each rule's peculiarity."""
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


def network_says_the_same_in_every_form(path: Path | None = None) -> str:
    """The file is whole, and the form used in games says of sample positions of every rule what the whole graph said
    when it was exported, and what ONNX Runtime says here, where that is installed."""
    try:
        evaluator = load_evaluator(core.FREESTYLE, path)
        limit = CORE_PARITY if evaluator.provider == "core" else PARITY
        worst = worst_of_stored(evaluator)
        _demand(worst <= limit, f"the network is {worst:.3f} off what its file says")
        verdict = f"{weights.find(path).name} on {evaluator.provider}, within {worst:.4f} of what its file says"
        if importlib.util.find_spec("onnxruntime") is None:
            return verdict
        if library_crashes():
            # Wine 8 alone lacks functions of numpy's. No game needs the library.
            verdict += "; ONNX Runtime crashes here (under Wine it needs Microsoft's ucrtbase.dll) and is left out"
        else:
            worst, provider = worst_of_graph(evaluator, path)
            _demand(worst <= limit, f"the network is {worst:.3f} off what ONNX Runtime says")
            verdict += f" and {worst:.4f} of ONNX Runtime on {provider}"
    except weights.WeightsError as error:
        raise SelftestError(str(error)) from error
    except ImportError as error:
        raise SelftestError(f"a library is damaged: {error}") from error
    return verdict


def book_can_be_read(path: Path | None = None) -> str:
    """Every line of the opening book is a legal move in a position that can be."""
    try:
        file = Book(path=path).open()
        return f"{len(file)} positions, {len(file.places)} rules and sizes"
    except BookError as error:
        raise SelftestError(str(error)) from error


def library_crashes() -> bool:
    """Does loading ONNX Runtime end the process? Tried in another one; an import that merely fails is no crash."""
    frozen = hasattr(sys, "frozen")
    # `renga` needs the word; `pbrain-renga` passes over it.
    command = [sys.executable, "brain", TRY_LIBRARY] if frozen else [sys.executable, "-c", "import numpy"]
    try:
        # No pipes: whoever looks into the crash would inherit them, and keep us waiting for their end.
        nowhere = subprocess.DEVNULL
        trial = subprocess.run(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, timeout=LIBRARY_S, check=False)
    except subprocess.TimeoutExpired:
        return True
    return trial.returncode not in (0, 1)


def load_library() -> int:
    """Whether this ends the process is all that `library_crashes` wants to know."""
    if sys.platform == "win32":
        import ctypes

        # Wine's debugger can take minutes over a crash: what nobody handles ends the process at once.
        kernel = ctypes.WinDLL("kernel32")
        kernel.SetUnhandledExceptionFilter.argtypes = (ctypes.c_void_p,)
        kernel.SetUnhandledExceptionFilter(ctypes.cast(kernel.ExitProcess, ctypes.c_void_p))
    import numpy  # noqa: F401 - ONNX Runtime stands on it; that itself leaves files in the user's home

    return 0


def worst_of_stored(evaluator: Evaluator) -> float:
    """Largest distance from the answers in the file."""
    try:
        stored = stored_answers(evaluator.metadata)
    except ValueError as error:
        raise SelftestError(str(error)) from error
    _demand(sorted(stored) == sorted(core.RULES), "the file of the network has no answers to compare with")
    worst = 0.0
    for rule in core.RULES:
        evaluator.use_rule(rule)
        boards = sample_boards(rule)
        _demand(len(boards) == len(stored[rule]), f"the file of the network has no answers for rule {rule}")
        for board, answer in zip(boards, stored[rule], strict=True):
            worst = max(worst, largest(list(zip(evaluator.evaluate(board)[1], answer, strict=True))))
    return worst


def worst_of_graph(evaluator: Evaluator, path: Path | None) -> tuple[float, str]:
    """Largest distance from the whole graph in ONNX Runtime, and the provider that ran it."""
    from brain.onnx_evaluator import OnnxEvaluator

    graph = OnnxEvaluator.load(core.FREESTYLE, path)
    worst = 0.0
    for rule in core.RULES:
        evaluator.use_rule(rule)
        for board in sample_boards(rule):
            worst = max(worst, distance(evaluator.evaluate(board), graph.evaluate_whole(board)))
    return worst, graph.provider


def moves_come_in_time() -> str:
    """A won position is won, and an ordinary one is answered within its limit."""
    engine = Engine()
    engine.inform("timeout_turn", str(TURN_MS))
    engine.inform("max_memory", str(MEMORY_LIMIT))
    engine.start(15, 15)
    four = ((4, 7, 1), (5, 7, 1), (6, 7, 1), (7, 7, 1), (4, 8, 2), (5, 8, 2), (6, 8, 2), (7, 9, 2))
    x, y = _answer(engine, four)
    _demand((x, y) in ((3, 7), (8, 7)), f"four in a row is answered with {x},{y}")
    for _ in range(TRIES):
        began = time.perf_counter()
        _answer(engine, [(x, y, 1 + number % 2) for number, (x, y) in enumerate(OPENING[:-1])])
        spent = (time.perf_counter() - began) * 1000
        if spent <= TURN_MS:
            break
    _demand(spent <= TURN_MS, f"a move at {TURN_MS} ms took {spent:.0f} ms, {TRIES} times in a row too long")
    return f"{spent:.0f} of {TURN_MS} ms used"


def clock_is_fine_enough() -> str:
    """The clock that deadlines are read from moves in small steps, and waiting ends when it should."""
    steps = []
    for _ in range(5):
        then = now = time.perf_counter()
        while now == then:
            now = time.perf_counter()
        steps.append(now - then)
    waits = []
    for _ in range(TRIES):
        began = time.perf_counter()
        time.sleep(0.02)
        waits.append(time.perf_counter() - began - 0.02)
    late = min(waits)
    _demand(min(steps) <= 0.02, f"the clock moves in steps of {min(steps) * 1000:.0f} ms")
    _demand(late <= 0.2, f"waiting 20 ms took at least {late * 1000:.0f} ms longer")
    return f"steps of {min(steps) * 1000:.3f} ms, waiting ends {late * 1000:.1f} ms late"


def memory_is_within_limits() -> str:
    """After all that the process holds less than tournaments allow."""
    held = resident_bytes()
    if held is None:
        return "unknown on this system"
    _demand(held <= MEMORY_LIMIT, f"{held >> 20} MB are held, {MEMORY_LIMIT >> 20} MB are allowed")
    return f"{held >> 20} MB"


Check = tuple[str, Callable[[], str]]


def checks(network: Path | None = None, book: Path | None = None) -> tuple[Check, ...]:
    """Name and function of each; network and book: other files than the shipped ones."""
    return (
        ("core", core_plays_by_the_rules),
        ("network", partial(network_says_the_same_in_every_form, network)),
        ("book", partial(book_can_be_read, book)),
        ("moves", moves_come_in_time),
        ("clock", clock_is_fine_enough),
        ("memory", memory_is_within_limits),
    )


def run(network: Path | None = None, book: Path | None = None) -> int:
    """Runs every check, one line each; the exit code, 0 if all is well."""
    failures = 0
    for name, check in (all_of_them := checks(network, book)):
        try:
            verdict = f"ok: {check()}"
        except SelftestError as error:
            verdict = f"FAILED: {error}"
            failures += 1
        print(f"{name:8} {verdict}", flush=True)
    print("all is well" if not failures else f"{failures} of {len(all_of_them)} checks failed", flush=True)
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
    request = engine.board(stones, 0, time.perf_counter())
    decision = engine.decide(request, Timer(request.limits))
    return engine.commit(request, decision, time.perf_counter()).moves[0]


def _demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise SelftestError(complaint)
