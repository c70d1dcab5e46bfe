"""A wheel in an empty environment, started from another directory."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.full
def test_a_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet")
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    wheel = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(source))
    subprocess.run([*pip, *wheel], check=True)
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    (archive,) = tmp_path.glob("renga-*.whl")
    # Without its dependencies: the engine must also play without numpy and ONNX Runtime.
    install = ("--python", str(python), "install", "--no-deps", "--no-index", str(archive))
    subprocess.run([*pip, *install], check=True)
    played = subprocess.run(
        [environment / "bin" / "pbrain-renga", "--strict"],
        input="ABOUT\nSTART 15\nINFO timeout_turn 200\nTURN 7,7\nTURN 0,0\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    replies = [line for line in played.stdout.splitlines() if not line.startswith("MESSAGE")]
    assert len(replies) == 4 and played.stderr == ""
    # The same engine from Python and by the command for people: every example of the page, in another directory.
    page = (python, "-m", "doctest", "-o", "ELLIPSIS", str(ROOT / "docs" / "python.md"))
    examples = subprocess.run(page, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (examples.returncode, examples.stdout, examples.stderr) == (0, "", "")
    assert (tmp_path / "game.sgf").exists()
    solved = subprocess.run(
        [environment / "bin" / "renga", "solve", "h8i8g8f8h9i9h7i7", "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert json.loads(solved.stdout)["plies"] == 3
    found = "import weights, pathlib; print(*pathlib.Path(weights.__file__).parent.glob('*'))"
    shipped = subprocess.run([python, "-c", found], capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    for file in (*(ROOT / "weights").glob("*.onnx"), *(ROOT / "weights").glob("*.book")):
        assert file.name in shipped
