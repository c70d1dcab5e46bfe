"""The self-test of the bundle: passes on a sound copy, and says what is wrong on another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from networks import CORE_BLOCKS, save, write_network
from processes import plain_environment

import cython_core as core
from brain import selftest, weights
from brain.onnx_evaluator import OnnxEvaluator
from brain.parity import sample_boards
from cython_core.network.encoding import LINE_LIMIT


def test_sound_copy_passes_every_check_and_writes_nothing(tmp_path: Path) -> None:
    # A process of its own: memory is one of the checks. The turn limit is longer: it is no test for a busy machine.
    script = "from brain import selftest; selftest.TURN_MS, selftest.TRIES = 2000, 9; raise SystemExit(selftest.run())"
    home = os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([sys.executable, "-c", script], env=home, capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    assert found.returncode == 0, lines
    assert [line.split()[0] for line in lines[:-1]] == [name for name, _ in selftest.checks()]
    assert lines[-1] == "all is well"
    assert not any(tmp_path.iterdir())


def test_failed_check_is_named_and_sets_the_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> str:
        raise selftest.SelftestError("the board is upside down")

    monkeypatch.setattr(selftest, "checks", lambda *files: (("core", broken),))
    assert selftest.run() == 1
    assert "FAILED: the board is upside down" in capsys.readouterr().out


def test_memory_of_this_process_is_known_and_plausible() -> None:
    held = selftest.resident_bytes()
    assert held is None or 5 << 20 < held < 8 << 30


def test_a_copy_that_lost_its_network_is_not_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "weights_folder", lambda: tmp_path)
    with pytest.raises(selftest.SelftestError, match=r"renga\.onnx is missing"):
        selftest.network_says_the_same_in_every_form()


def test_the_network_that_was_asked_for_is_the_one_that_is_compared(tmp_path: Path) -> None:
    path = write_network(tmp_path / "mine.onnx", channels=16, hidden=16, blocks=CORE_BLOCKS, step=LINE_LIMIT / 32760)
    with pytest.raises(selftest.SelftestError, match="no answers to compare with"):
        selftest.network_says_the_same_in_every_form(path)
    model = onnx.load(str(path))
    metadata = {entry.key: entry.value for entry in model.metadata_props if entry.key != "sha256"}
    graph = OnnxEvaluator.load(0, path, provider="cpu")
    answers = {rule: [graph.evaluate_whole(board)[1] for board in sample_boards(rule)] for rule in core.RULES}
    save(path, model, {**metadata, "answers": json.dumps(answers)})
    assert selftest.network_says_the_same_in_every_form(path).startswith("mine.onnx on core, within 0.00")
    answers[core.RENJU][3] = (0.5, 0.2, 0.3)
    save(path, model, {**metadata, "answers": json.dumps(answers)})
    with pytest.raises(selftest.SelftestError, match=r"the network is 0\.\d\d\d off what its file says"):
        selftest.network_says_the_same_in_every_form(path)
    save(path, model, {**metadata, "answers": "[1]"})
    with pytest.raises(selftest.SelftestError, match="its stored answers cannot be read"):
        selftest.network_says_the_same_in_every_form(path)


def test_the_command_line_tests_the_network_it_was_given(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "brain", "--selftest", "--network", str(tmp_path / "none.onnx")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and found.stderr == ""
    assert "none.onnx is missing" in next(line for line in found.stdout.splitlines() if line.startswith("network"))


@pytest.mark.parametrize(("code", "crashes"), [(0, False), (1, False), (3, True), (-11, True)])
def test_a_library_that_ends_the_process_is_left_out_in_one_line(
    monkeypatch: pytest.MonkeyPatch, code: int, crashes: bool
) -> None:
    command = [sys.executable, "-c", f"import os; os.kill(os.getpid(), {-code}) if {code} < 0 else os._exit({code})"]
    run, environment = subprocess.run, plain_environment()
    monkeypatch.setattr(selftest.subprocess, "run", lambda _, **options: run(command, **options | {"env": environment}))
    assert selftest.library_crashes() is crashes
    if crashes:
        verdict = selftest.network_says_the_same_in_every_form()
        assert "ONNX Runtime crashes here" in verdict and "\n" not in verdict


def test_a_debugger_that_looks_into_a_crash_holds_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its end was waited for as long as it held our pipes, which under Wine was for ever.
    given: dict[str, object] = {}

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        given.update(options)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(selftest.subprocess, "run", run)
    assert not selftest.library_crashes()
    assert [given.get(name) for name in ("stdin", "stdout", "stderr")] == [subprocess.DEVNULL] * 3
