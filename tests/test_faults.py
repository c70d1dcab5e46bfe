"""A real process where things go wrong around it: descriptors, signals, disks, memory, clocks. Nothing on stderr."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from protocol_tests.position import MOVE
from protocol_tests.process import Brain

if sys.platform == "win32":
    pytest.skip("signals and limits of POSIX", allow_module_level=True)

ROOT = Path(__file__).parent.parent
POSITION = "INFO book 0\nBOARD 7,7,1 8,8,2 DONE"
"""Something to search."""
SLACK = 10.0


def command(before: str = "", *arguments: str) -> list[str]:
    """The brain in a process that does something hostile to itself first."""
    script = f"import sys\n{before}\nfrom brain.__main__ import main\nsys.exit(main({list(arguments)!r}))"
    return [sys.executable, "-c", script]


@contextmanager
def brain(before: str = "", *arguments: str) -> Iterator[Brain]:
    with Brain(command(before, *arguments), SLACK, environment={"PYTHONPATH": str(ROOT)}) as process:
        yield process


def plays_and_leaves(process: Brain, turns: int = 1) -> None:
    process.send("START 15", "INFO timeout_turn 200")
    process.expect("OK", 5000)
    process.send(POSITION)
    assert MOVE.fullmatch(process.reply(3000))
    for x in range(turns):
        process.send(f"TURN {x},0")
        assert MOVE.fullmatch(process.reply(3000))
    process.send("END")
    process.exits(1000)
    assert process.process.returncode == 0


CHECKED = pytest.mark.skipif(os.environ.get("RENGA_CHECKED") == "1", reason="sanitizers reserve terabytes")
LIMITED = "import resource; resource.setrlimit(resource.{0}, ({1}, {1}))"


@CHECKED
def test_sixty_megabytes_of_address_space_are_enough_for_legal_moves() -> None:
    with brain(LIMITED.format("RLIMIT_AS", 60 << 20)) as process:
        plays_and_leaves(process, turns=5)
        assert not [line for line in process.talk if "internal error" in line]


@CHECKED
@pytest.mark.parametrize("megabytes", [20, 32, 40])
def test_too_little_memory_to_start_is_said_in_one_line(megabytes: int) -> None:
    run = subprocess.run(
        command(LIMITED.format("RLIMIT_AS", megabytes << 20)), input="START 15\nEND\n", text=True, capture_output=True,
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert not run.stderr and len(run.stdout.splitlines()) == 1
    assert run.stdout == "OK\n" or (run.stdout.startswith("ERROR Renga cannot run here: ") and run.returncode == 1)


@pytest.mark.parametrize("descriptors", [4, 6, 10])
def test_few_file_descriptors_are_enough(descriptors: int) -> None:
    with brain(LIMITED.format("RLIMIT_NOFILE", descriptors)) as process:
        plays_and_leaves(process)


def test_a_log_on_a_full_disk_costs_the_log_and_not_the_game() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with brain("", "--log", "/dev/full") as process:
        plays_and_leaves(process)


@pytest.mark.parametrize("verb", ["YXSETDATABASE", "YXHASHLOAD"])
def test_a_file_whose_name_this_machine_cannot_write_is_said(verb: str) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run(
        command("", "--strict"), input=f"START 15\n{verb} \u00e9\nEND\n", text=True, encoding="utf-8",
        capture_output=True, cwd=ROOT, env=os.environ | plain, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "") and "is no name of a file" in run.stdout


@pytest.mark.parametrize("how", ["os.rmdir(where)", "os.chmod(where, 0o500)", "os.chdir('/proc')"])
def test_a_working_directory_that_is_gone_or_read_only_does_no_harm(how: str, tmp_path: Path) -> None:
    """Nobody makes a file in /proc, not even root, whom no permission holds."""
    if "/proc" in how and not Path("/proc").is_dir():
        pytest.skip("no /proc")
    (tmp_path / "here").mkdir()
    with brain(f"import os; where = {str(tmp_path / 'here')!r}; os.chdir(where); {how}") as process:
        plays_and_leaves(process)


def test_a_log_in_a_directory_that_is_gone_is_said_and_the_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    before = f"import os; where = {str(tmp_path / 'here')!r}; os.chdir(where); os.rmdir(where)"
    with brain(before, "--log", "log") as process:
        plays_and_leaves(process)
        assert [line for line in process.talk if line.startswith("MESSAGE no log in 'log': ")]


def test_a_closed_stdout_does_not_mix_the_replies_into_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    run = subprocess.run(
        command("import os; os.close(1)", "--log", str(log)), input="START 15\nABOUT\nEND\n", text=True,
        capture_output=True, cwd=ROOT, timeout=60, check=False,
    )  # fmt: skip
    assert not run.stderr and not run.stdout
    assert all(line.split()[1] in "<>" for line in log.read_text().splitlines())


def test_a_closed_stdin_is_the_end_of_input_and_nobody_who_talks_to_it() -> None:
    run = subprocess.run(
        command("import os; os.close(0)"), capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert (run.returncode, run.stderr) == (0, "") and "no window of its own" in run.stdout


def test_input_cut_in_the_middle_of_a_line_ends_the_process() -> None:
    run = subprocess.run(
        command(), input="START 15\nINFO timeout_turn 200\nTURN 7", text=True, capture_output=True, cwd=ROOT,
        timeout=60, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr) == (0, "OK\nERROR TURN needs x,y\n", "")


@pytest.mark.parametrize("blocking", ["stdin", "stdout", "both"])
def test_pipes_that_do_not_block_are_waited_for(blocking: str) -> None:
    fds = {"stdin": (0,), "stdout": (1,), "both": (0, 1)}[blocking]
    with brain(f"import os; [os.set_blocking(fd, False) for fd in {fds}]") as process:
        plays_and_leaves(process)


def _write_all(pipe: IO[bytes], data: bytes) -> None:
    """As a manager that does not wait for ever: a pipe that nobody empties fails the test instead of hanging it."""
    os.set_blocking(pipe.fileno(), False)
    until = time.monotonic() + 3 * SLACK
    while data:
        assert time.monotonic() < until, "the process does not read"
        try:
            data = data[os.write(pipe.fileno(), data) :]
        except BlockingIOError:
            time.sleep(0.01)


@pytest.mark.parametrize("lines", [4000, 30_000])
def test_end_is_obeyed_although_nobody_reads(lines: int) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(command(), stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT)
    assert process.stdin is not None and process.stderr is not None
    _write_all(process.stdin, b"ABOUT\n" * lines)  # more answers than a pipe holds
    time.sleep(1.0)
    assert process.poll() is None
    _write_all(process.stdin, b"END\n")
    assert process.wait(timeout=SLACK) == 0
    assert process.stderr.read() == b""
    os.close(reading)
    os.close(writing)


def test_a_stop_of_the_whole_process_in_the_middle_of_a_search_costs_the_rest_of_it() -> None:
    with brain() as process:
        process.send("START 15", "INFO timeout_turn 1500")
        process.expect("OK", 5000)
        process.send(POSITION)
        process.silent(300, talk=True)
        process.suspend()
        time.sleep(3.0)
        process.resume()
        assert MOVE.fullmatch(process.reply(1000))
        assert not [line for line in process.talk if "internal error" in line]
        plays_and_leaves(process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("thinking", [True, False])
def test_a_signal_ends_the_process_without_a_word(number: signal.Signals, thinking: bool) -> None:
    with brain() as process:
        process.send("START 15", "INFO timeout_turn 30000")
        process.expect("OK", 5000)
        if thinking:
            process.send(POSITION)
            process.silent(300, talk=True)
        process.process.send_signal(number)
        process.exits(1000)
        assert process.process.returncode == -number


INTERRUPTED = """
import os
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.parametrize("module", ["enum", "brain.loop", "cython_core.search", "brain.network"])
def test_an_interrupt_during_start_up_ends_the_process_without_a_word(module: str) -> None:
    run = subprocess.run(
        command(INTERRUPTED.format(module=module)), input="", capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (-signal.SIGINT, "", "")


def test_nothing_is_imported_before_interrupts_are_silenced() -> None:
    """Of 60 interrupts at random moments 14 were tracebacks of our own imports; the interpreter's own are its own."""
    script = "import sys; before = set(sys.modules); import brain.__main__; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert set(run.stdout.split()) <= {"__future__", "brain", "brain.__main__"}


def test_a_reader_that_leaves_in_the_middle_of_a_search_ends_the_process() -> None:
    process = subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(f"START 15\nINFO timeout_turn 60000\n{POSITION}\n".encode())
    process.stdin.flush()
    assert process.stdout.readline() == b"OK\n"
    process.stdout.close()
    assert process.wait(timeout=3 * SLACK) == 0
    assert process.stderr.read() == b""


JUMPING = """
import time
true, ahead = time.perf_counter, [0.0]
time.perf_counter = lambda: true() + ahead[0]
time.time = lambda: {wall}
import signal
signal.signal(signal.SIGUSR1, lambda *_: ahead.__setitem__(0, {by}))
"""


@pytest.mark.parametrize(("by", "wall", "turn_ms"), [(3600.0, "0.0", 60_000), (0.0, "1e12", 3000)])
def test_a_clock_that_jumps_costs_no_more_than_the_search(by: float, wall: str, turn_ms: int) -> None:
    """Ahead, as after a night in sleep: then the search is over. The wall clock may say what it likes."""
    with brain(JUMPING.format(by=by, wall=wall)) as process:
        process.send("START 15", f"INFO timeout_turn {turn_ms}")
        process.expect("OK", 5000)
        process.send(POSITION)
        process.silent(1000, talk=True)
        process.process.send_signal(signal.SIGUSR1)
        assert MOVE.fullmatch(process.reply(3000))
        plays_and_leaves(process)


def test_a_log_that_is_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    """Nobody reads it at first; then somebody has it open and reads nothing."""
    log = tmp_path / "log"
    os.mkfifo(log)
    with brain("", "--log", str(log)) as process:
        plays_and_leaves(process)
        assert [line for line in process.talk if line.startswith(f"MESSAGE no log in '{log}': ")]
    reading = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with brain("", "--log", str(log)) as process:
            process.send("START 15")
            process.expect("OK", 5000)
            process.send(*["INFO nothing " + "x" * 500] * 400)  # more than a pipe holds
            plays_and_leaves(process)
    finally:
        os.close(reading)
