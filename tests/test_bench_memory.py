"""The memory of a long search: pools that are full are recycled, and growth does not go unseen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.memory import Watch


@pytest.mark.skipif(os.environ.get("RENGA_CHECKED") == "1", reason="sanitizers keep freed memory for a while")
def test_a_think_over_full_pools_does_not_grow() -> None:
    fast = "@renga:network=off,own_vcf_nodes=0,other_vcf_nodes=0,estimate_share=1"
    limits = ["--nodes", "300000", "--max-memory", "150", "--tolerance", "8"]
    # In a process of its own: this one holds whatever the other tests have loaded.
    command = [sys.executable, "-m", "bench", "memory", "--player", fast, *limits]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300000 simulations" in done.stdout


def test_growth_in_the_second_half_is_seen() -> None:
    watch = Watch()
    watch.end()
    watch.samples[:] = [1, 5, 5, 5, 5, 9, 5, 5]
    assert watch.growth() == 4
    watch.samples[:] = [1, 5, 9, 5, 5, 5, 5, 8]
    assert watch.growth() == -1


def test_other_players_cannot_be_watched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "--player", "@s0"]) == 2
    assert "@s0" in capsys.readouterr().err
