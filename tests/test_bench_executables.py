"""The table of executables, over a stand-in that answers like a brain."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.executables import products

STAND_IN = f"""#!{sys.executable}
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "END": sys.exit()
    print({{"ABOUT": 'name="Renga"', "START": "OK", "DONE": "7,7"}}.get(word, ""), flush=True)
"""


def place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STAND_IN)
    path.chmod(0o755)
    return path


def test_every_kind_flavour_and_target_is_found_once(tmp_path: Path) -> None:
    wanted = [
        place(tmp_path / name)
        for name in (
            "pbrain-renga/pbrain-renga",
            "lean/pbrain-renga/pbrain-renga",
            "onefile/lean/pbrain-renga",
            "windows/pbrain-renga.exe",
            "windows/pbrain-renga/pbrain-renga.exe",
        )
    ]
    (tmp_path / "windows/renga.zip").touch()
    assert sorted(products(tmp_path)) == sorted(wanted)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_table_has_sizes_times_and_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place(tmp_path / "pbrain-renga/pbrain-renga")
    (tmp_path / "pbrain-renga/_internal").mkdir()
    (tmp_path / "pbrain-renga/_internal/data").write_bytes(bytes(2_000_000))
    (tmp_path / "renga.zip").write_bytes(bytes(1_000_000))
    place(tmp_path / "onefile/pbrain-renga")
    assert main(["executables", "--dist", str(tmp_path), "--repeats", "1"]) == 0
    folder, file = (line.split(" | ") for line in capsys.readouterr().out.splitlines()[4:])
    assert folder[0] == "| pbrain-renga/pbrain-renga" and folder[1:4] == ["onedir", "2.0", "1.0"]
    assert file[0] == "| onefile/pbrain-renga" and file[1:4] == ["onefile", "0.0", "-"]
    assert all(float(figure.strip(" |")) > 0 for figure in folder[4:] + file[4:])


def test_an_empty_folder_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["executables", "--dist", str(tmp_path)]) == 2
    assert "build_exe.py" in capsys.readouterr().err
