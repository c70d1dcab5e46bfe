"""The core starts on a processor without AVX2 and gives the same numbers there."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import array, random, zlib
import cython_core as core
from cython_core.network.features import write_line_features
from cython_core.probes import mean_result

board = core.Board(15, 15, core.RENJU)
for x, y in [(7, 7), (8, 8), (7, 8), (7, 9), (8, 6), (6, 8), (9, 5)]:
    board.play(core.cell(x, y))
print(mean_result(board, 50, 1, 12))
rows, channels = 397488, 8
period = random.Random(1).randbytes(20014)
size = 2 * rows * channels
table = memoryview((period * (size // len(period) + 1))[:size]).cast("h", (rows, channels))
out = memoryview(bytearray(4 * channels * 225)).cast("f", (channels, 15, 15))
write_line_features(board, table, array.array("f", [0.01] * channels), out)
print(zlib.crc32(out))
searcher = core.Searcher(32 << 20)
searcher.set_position(board)
print(core.Worker(searcher).run(100), searcher.leaders())
"""


@pytest.mark.full
def test_the_core_starts_on_nehalem_and_says_the_same() -> None:
    emulator = shutil.which("qemu-x86_64")
    if emulator is None:
        pytest.skip("qemu-x86_64 (Debian: qemu-user) is not installed")
    here = Path(__file__).parent.parent
    command = [sys.executable, "-c", SCRIPT]
    native = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    emulated = subprocess.run(
        [emulator, "-cpu", "Nehalem", *command], cwd=here, capture_output=True, text=True, timeout=600, check=False
    )
    assert emulated.returncode == 0, emulated.stderr
    assert emulated.stdout == native.stdout
