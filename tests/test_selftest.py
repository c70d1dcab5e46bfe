"""The self-test of the bundle: passes on a sound copy, and says what is wrong on another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain import selftest, weights


def test_sound_copy_passes_every_check_and_writes_nothing(tmp_path: Path) -> None:
    # A process of its own: memory is one of the checks. The turn limit is longer: it is no test for a busy machine.
    script = "from brain import selftest; selftest.TURN_MS, selftest.TRIES = 2000, 9; raise SystemExit(selftest.run())"
    home = os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([sys.executable, "-c", script], env=home, capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    assert found.returncode == 0, lines
    assert [line.split()[0] for line in lines[:-1]] == [name for name, _ in selftest.CHECKS]
    assert lines[-1] == "all is well"
    assert not any(tmp_path.iterdir())


def test_failed_check_is_named_and_sets_the_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> str:
        raise selftest.SelftestError("the board is upside down")

    monkeypatch.setattr(selftest, "CHECKS", (("core", broken),))
    assert selftest.run() == 1
    assert "FAILED: the board is upside down" in capsys.readouterr().out


def test_memory_of_this_process_is_known_and_plausible() -> None:
    held = selftest.resident_bytes()
    assert held is None or 5 << 20 < held < 8 << 30


def test_a_copy_that_lost_a_network_file_is_not_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for file in weights.weights_folder().glob("renga*"):
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "renga-trunk.onnx").unlink()
    monkeypatch.setattr(weights, "weights_folder", lambda: tmp_path)
    with pytest.raises(selftest.SelftestError, match=r"renga-trunk\.onnx is missing"):
        selftest.network_says_what_its_card_says()
