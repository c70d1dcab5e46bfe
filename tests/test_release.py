"""What is handed out: archives that are the same every time, wheels that pip believes, a list of parts."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import tarfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

from freeze import parts, release, stage, wheels
from freeze.plan import EPOCH, ROOT, parse

WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n"
FILES = {
    "core/board.cpython-311-x86_64-linux-gnu.so": b"linux code",
    "core/__init__.py": b"",
    "renga-1.0.dist-info/WHEEL": WHEEL.encode(),
    "renga-1.0.dist-info/RECORD": b"stale",
}


def test_a_retagged_wheel_lists_every_file_with_its_checksum(tmp_path: Path) -> None:
    wheel = wheels.write_wheel(FILES, "cp311-cp311-manylinux_2_17_x86_64", tmp_path)
    assert wheel.name == "renga-1.0-cp311-cp311-manylinux_2_17_x86_64.whl"
    files = wheels.read_zip(wheel)
    assert b"Tag: cp311-cp311-manylinux_2_17_x86_64\n" in files["renga-1.0.dist-info/WHEEL"]
    assert b"linux_x86_64\n" not in files["renga-1.0.dist-info/WHEEL"].replace(b"manylinux_2_17_x86_64", b"")
    listed = list(csv.reader(io.StringIO(files["renga-1.0.dist-info/RECORD"].decode())))
    assert {row[0] for row in listed} == set(files)
    for name, digest, size in listed:
        if name.endswith("RECORD"):
            assert (digest, size) == ("", "")
            continue
        raw = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={raw}", len(files[name]))


def test_a_windows_wheel_has_the_windows_modules_and_no_others(tmp_path: Path) -> None:
    linux = wheels.write_wheel(FILES, "cp311-cp311-linux_x86_64", tmp_path)
    module = tmp_path / "board.pyd"
    module.write_bytes(b"windows code")
    made = wheels.windows_wheel(linux, {"core/board.cp311-win_amd64.pyd": module}, "311", tmp_path)
    files = wheels.read_zip(made)
    assert made.name == "renga-1.0-cp311-cp311-win_amd64.whl"
    assert files["core/board.cp311-win_amd64.pyd"] == b"windows code"
    assert not any(name.endswith(".so") for name in files)


def test_a_wheel_has_the_modules_that_are_compiled_for_windows(tmp_path: Path) -> None:
    staged = stage.prepare(replace(parse([]), build=tmp_path))
    compiled = {path.relative_to(staged).as_posix() for path in staged.rglob("*.pyx")}
    everything = {path.relative_to(ROOT).as_posix(): b"" for path in (ROOT / "cython_core").rglob("*.pyx")}
    assert set(wheels.handed_out(everything)) == compiled < set(everything)


def test_archives_do_not_tell_when_they_were_made(tmp_path: Path) -> None:
    made = []
    for number in range(2):
        tar = tmp_path / f"{number}.tar.gz"
        wheels.write_tar(tar, {"b/run": b"#!", "a.txt": b"text"}, {"b/run"})
        folder = tmp_path / str(number)
        folder.mkdir()
        made.append((tar.read_bytes(), wheels.write_wheel(FILES, "cp311-cp311-any", folder).read_bytes()))
        time.sleep(1.1 - number)  # gzip and zip count in seconds
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "0.tar.gz") as archive:
        told = [(member.name, member.mode, member.mtime, member.uid) for member in archive]
    assert told == [("a.txt", 0o644, EPOCH, 0), ("b/run", 0o755, EPOCH, 0)]
    with zipfile.ZipFile(tmp_path / "0" / "renga-1.0-cp311-cp311-any.whl") as archive:
        assert {member.date_time[0] for member in archive.infolist()} == {2026}


def test_the_list_of_parts_names_every_pin_once_per_use() -> None:
    bill = parts.bill("1.2.3", "abc", "3.11.7", {"renga.tar.gz": "0" * 64})
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    references = [part["bom-ref"] for part in bill["components"] if "bom-ref" in part]
    assert len(references) == len(set(references)) > 10
    by_reference = {part["bom-ref"]: part for part in bill["components"] if "bom-ref" in part}
    numpy = next(part for name, part in by_reference.items() if name.startswith("windows/numpy@"))
    assert numpy["scope"] == "required" and numpy["licenses"] and len(numpy["hashes"]) >= 1
    assert all(part["scope"] == "excluded" for name, part in by_reference.items() if "/setuptools@" in name)
    assert bill == parts.bill("1.2.3", "abc", "3.11.7", {"renga.tar.gz": "0" * 64})
    assert bill["serialNumber"] != parts.bill("1.2.4", "abc", "3.11.7", {})["serialNumber"]


def test_every_bundled_part_of_the_list_is_pinned() -> None:
    for file, names in parts.BUNDLED.items():
        pinned = {pin.name: pin for pin in parts.pins(parts.PINS / f"{file}.txt")}
        for name in names:
            assert name in pinned and pinned[name].hashes, f"{name} in {file}.txt"


def test_two_builds_are_compared_by_name_and_checksum() -> None:
    assert release.compare({"a": "1", "b": "2"}, {"a": "1", "b": "2"}) == []
    assert release.compare({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}) == ["b", "c", "d"]
