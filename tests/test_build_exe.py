"""The build tool's own logic: what it is asked for, what it bundles, what it refuses. Nothing is frozen here."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import struct
import sys
import zipfile
from pathlib import Path

import pytest

import build_exe
from freeze import bundle, face, fetch, needs, stage
from freeze.plan import ROOT, BuildError, Plan, default_cache, parse
from freeze.stage import Module
from renga.__main__ import COMMANDS


def plan_for(*arguments: str, folder: Path | None = None) -> Plan:
    paths = [] if folder is None else ["--dist", str(folder / "dist"), "--cache", str(folder / "cache")]
    return parse([*arguments, *paths], platform="linux")


# The command line


def test_plain_call_builds_a_full_folder_for_this_system() -> None:
    plan = parse([], platform="linux")
    assert (plan.target, plan.flavour, plan.onefile, plan.cross) == ("linux", "full", False, False)
    assert plan.executable == ROOT / "dist" / "pbrain-renga" / "pbrain-renga"


def test_onefile_is_a_file_in_dist() -> None:
    assert plan_for("--onefile").executable == ROOT / "dist" / "pbrain-renga"
    assert parse(["--onefile"], platform="win32").executable == ROOT / "dist" / "pbrain-renga.exe"


def test_foreign_target_and_flavours_have_folders_of_their_own() -> None:
    assert plan_for("--target", "windows", "--lean", "--zip").archive == ROOT / "dist/windows/lean/renga.zip"
    assert plan_for("--gpu").executable == ROOT / "dist/gpu/pbrain-renga/pbrain-renga"
    assert not parse(["--target", "windows"], platform="win32").cross


@pytest.mark.parametrize(
    ("arguments", "platform", "word"),
    [
        (["--zip"], "linux", "--target windows"),
        (["--zip", "--onefile", "--target", "windows"], "linux", "--onefile"),
        (["--target", "linux"], "win32", "Linux"),
        ([], "darwin", "darwin"),
    ],
)
def test_senseless_combinations_are_refused(arguments: list[str], platform: str, word: str) -> None:
    with pytest.raises(BuildError, match=word):
        parse(arguments, platform=platform)


def test_contradicting_options_end_with_usage() -> None:
    for pair in (["--lean", "--gpu"], ["--onefile", "--onedir"]):
        with pytest.raises(SystemExit):
            parse(pair, platform="linux")


def test_cache_is_outside_the_repository_and_can_be_moved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RENGA_CACHE", raising=False)
    assert ROOT not in default_cache().parents
    monkeypatch.setenv("RENGA_CACHE", str(tmp_path))
    assert default_cache() == tmp_path
    assert plan_for("--cache", str(tmp_path / "other")).cache == tmp_path / "other"


def test_an_error_is_one_message_and_exit_code_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["build_exe.py", "--zip"])
    assert build_exe.main() == 1
    assert capsys.readouterr().err.startswith("build_exe: the tournament zip")


# Tools and downloads


def test_missing_wine_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match=r"apt-get install .*wine64"):
        needs.check(plan_for("--target", "windows"))


def test_missing_compiler_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match=r"apt-get install gcc"):
        needs.check(plan_for())


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == package else found(name))


@pytest.mark.parametrize("package", ["Cython", "setuptools", "pip"])
def test_missing_package_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    without(monkeypatch, package)
    with pytest.raises(BuildError, match=rf"{package} is missing .*: make build"):
        needs.check(plan_for())


def test_another_python_hands_over_to_the_one_of_make_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    monkeypatch.setattr(needs, "ROOT", tmp_path)
    assert needs.better_python() is None
    own.parent.mkdir(parents=True)
    own.touch()
    assert needs.better_python() == str(own)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert needs.better_python() is None


def test_every_pin_has_a_version_and_a_hash() -> None:
    for pins in fetch.PINS.glob("*.txt"):
        lines = [line for line in pins.read_text().splitlines() if line and not line.startswith("#")]
        assert lines, pins
        for line in lines:
            assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( --hash=sha256:[0-9a-f]{64})+", line), line


def test_complete_download_is_not_fetched_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = []
    monkeypatch.setattr(fetch, "run", lambda command, what: calls.append(command))
    first = fetch.fetch("compiler", tmp_path)
    assert fetch.fetch("compiler", tmp_path) == first
    assert len(calls) == 1 and "--require-hashes" in calls[0]
    (first / "complete").unlink()  # as an interrupted download leaves it
    fetch.fetch("compiler", tmp_path)
    assert len(calls) == 2


def test_interrupted_unpacking_starts_over(tmp_path: Path) -> None:
    wheels = tmp_path / "downloads" / "tool-1"
    wheels.mkdir(parents=True)
    with zipfile.ZipFile(wheels / "tool.whl", "w") as wheel:
        wheel.writestr("tool/run", "new")
    (tmp_path / "tool-1.part").mkdir()  # as an interrupted one leaves it
    (tmp_path / "tool-1.part" / "rest").touch()
    folder = fetch.unpacked(wheels, tmp_path)
    assert [path.name for path in folder.iterdir()] == ["tool"]
    (folder / "tool/run").write_text("kept")
    assert (fetch.unpacked(wheels, tmp_path) / "tool/run").read_text() == "kept"


def test_failing_tool_is_reported_with_its_last_words() -> None:
    with pytest.raises(BuildError, match=r"(?s)the tool failed \(exit code 3\).*no such luck"):
        fetch.run([sys.executable, "-c", "print('no such luck'); raise SystemExit(3)"], "the tool")


# The stage


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A small source tree in place of ours."""
    root = tmp_path / "root"
    for name in (*stage.FILES, "brain/loop.py", "brain/notes.txt", "cython_core/rules/board.pyx", "weights/renga.onnx"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    monkeypatch.setattr(stage, "ROOT", root)
    return root


def staged(folder: Path) -> Plan:
    plan = plan_for("--target", "windows")
    return Plan(**{**vars(plan), "build": folder / "build"})


def test_stage_holds_sources_and_nothing_else(sources: Path, tmp_path: Path) -> None:
    copy = stage.prepare(staged(tmp_path))
    assert (copy / "brain/loop.py").read_text() == "brain/loop.py"
    assert (copy / "weights/renga.onnx").exists()
    assert not (copy / "brain/notes.txt").exists()


def test_stage_follows_the_sources_and_keeps_what_was_compiled(sources: Path, tmp_path: Path) -> None:
    copy = stage.prepare(staged(tmp_path))
    for made in ("board.c", "board.cp311-win_amd64.pyd", "gone.cp311-win_amd64.pyd"):
        (copy / "cython_core/rules" / made).write_text("compiled")
    (sources / "brain/loop.py").write_text("changed")
    os.utime(sources / "brain/loop.py", (1, 1))
    (sources / "weights/renga.onnx").unlink()
    stage.prepare(staged(tmp_path))
    assert (copy / "brain/loop.py").read_text() == "changed"
    assert not (copy / "weights/renga.onnx").exists()
    assert (copy / "cython_core/rules/board.cp311-win_amd64.pyd").exists()
    assert not (copy / "cython_core/rules/gone.cp311-win_amd64.pyd").exists()


def test_windows_compiler_gets_the_flags_of_setup_py(tmp_path: Path) -> None:
    module = Module("core.x", ["core/x.c"], ["-O3", "-march=x86-64-v2"], [("A", "1"), ("B", None)])
    library = tmp_path / "python311.lib"
    command = stage.windows_command(module, Path("zig"), tmp_path, library, tmp_path / "x.pyd")
    assert {"-O3", "-mcpu=x86_64_v2", "-DA=1", "-DB", "core/x.c", "-shared", str(library)} <= set(command)
    assert "-march=x86-64-v2" not in command


# What is bundled


def programs(*options: str) -> dict[str, dict[str, list[str]]]:
    """What PyInstaller is told of each program, by its name."""
    told = bundle.settings(plan_for(*options), ROOT, [])["programs"]
    assert isinstance(told, list)
    return {program["name"]: program for program in told}


def test_every_compiled_module_is_named_to_pyinstaller() -> None:
    modules = programs()["pbrain-renga"]["modules"]
    sources = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "cython_core").rglob("*.pyx")]
    assert {".".join(source.parts) for source in sources} <= set(modules)
    assert "cython_core.search.tree" in modules


def test_lean_build_leaves_numpy_and_onnxruntime_out() -> None:
    lean, full = (programs(*options)["pbrain-renga"]["exclude"] for options in (["--lean"], []))
    assert {"numpy", "onnxruntime", "torch"} <= set(lean)
    assert "numpy" not in full and "torch" in full


def test_folders_that_are_not_lean_have_the_program_for_people() -> None:
    assert list(programs()) == list(programs("--gpu")) == ["pbrain-renga", "renga"]
    assert list(programs("--lean")) == list(programs("--onefile")) == ["pbrain-renga"]
    assert plan_for("--target", "windows").for_people == ROOT / "dist/windows/pbrain-renga/renga.exe"
    assert plan_for("--lean").for_people is plan_for("--onefile").for_people is None


def test_the_program_for_people_has_every_command_and_the_server_but_no_openssl() -> None:
    renga, brain = programs()["renga"], programs()["pbrain-renga"]
    assert {module for module, _ in COMMANDS.values()} <= set(renga["modules"])
    assert {"cython_core.search.tree", "renga", "uvicorn.protocols.http.h11_impl"} <= set(renga["modules"])
    assert "asyncio" in brain["exclude"] and "asyncio" not in renga["exclude"]
    assert "_ssl" in renga["exclude"] and "ssl" not in renga["exclude"]


def test_a_native_build_freezes_with_the_pinned_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    paths = []
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(bundle, "fetch", lambda pin, cache, options: cache / "downloads" / pin)
    monkeypatch.setattr(bundle, "unpacked", lambda wheels, cache: cache / wheels.name)
    monkeypatch.setattr(bundle, "run", lambda command, what, cwd, env: paths.append(env.get("PYTHONPATH")))
    monkeypatch.setattr(bundle, "place", lambda product, plan: plan.executable)
    for arguments in ([], ["--target", "windows"]):
        bundle.freeze(plan_for(*arguments, folder=tmp_path), tmp_path, ["python"], [])
    assert paths == [str(tmp_path / "cache" / "linux"), None]


def test_a_new_product_replaces_the_old_one(tmp_path: Path) -> None:
    plan = plan_for("--onefile", folder=tmp_path)
    (plan.shelf / "pbrain-renga").mkdir(parents=True)  # an earlier folder build
    product = tmp_path / "pbrain-renga"
    product.write_text("new")
    assert bundle.place(product, plan).read_text() == "new"


# What Windows shows of it


def test_the_icon_holds_every_size_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face, "SAMPLES", 1)
    data = face.icon()
    _, kind, count = struct.unpack_from("<HHH", data)
    assert (kind, count) == (1, 4)
    end = 6 + 16 * count
    for index, size in enumerate((16, 32, 48, 0)):
        width, height, _, _, _, bits, length, offset = struct.unpack_from("<BBBBHHII", data, 6 + 16 * index)
        assert (width, height, bits, offset) == (size, size, 32, end)
        if size:
            assert struct.unpack_from("<Iii", data, offset) == (40, size, 2 * size)
            assert length == 40 + 4 * size * size + (size + 31) // 32 * 4 * size
        else:
            assert data[offset : offset + 8] == b"\x89PNG\r\n\x1a\n"
        end += length
    assert end == len(data)


def test_the_icon_is_a_board_with_stones_and_round_corners() -> None:
    rows = face.pixels(32)
    assert rows[0][0][3] == 0 and rows[16][16][3] == 255
    assert rows[16][16][:3] == face.INK  # the stone in the middle


def test_the_version_resource_is_what_pyinstaller_reads() -> None:
    assert "a board for five in a row" in face.version_resource("1.20.3", "renga")
    text = face.version_resource("1.20.3", "pbrain-renga")
    assert "filevers=(1, 20, 3, 0)" in text and "StringStruct('ProductVersion', '1.20.3')" in text
    (version,) = ast.parse(text).body  # PyInstaller evaluates it: it must be one expression
    assert isinstance(version, ast.Expr) and ast.unparse(version).startswith("VSVersionInfo(ffi=FixedFileInfo(")


def test_only_the_lean_package_goes_without_sqlite() -> None:
    assert "sqlite3" in bundle.EXCLUDE_LEAN
    assert "sqlite3" not in (*bundle.EXCLUDE, *bundle.EXCLUDE_FULL)
