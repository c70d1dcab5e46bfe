"""What leaves the build: DLLs that must be inside, and the zip for tournaments. Nothing is frozen here."""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest

from freeze import closure, parcel
from freeze.plan import BuildError

# Import closure


def pe_image(imported: list[str], delayed: list[str], magic: int = 0x20B) -> bytes:
    """The smallest 64-bit image with one section holding the two import tables at address 0x1000."""
    base, raw = 0x1000, 0x200
    head = 20 * (len(imported) + 1)
    names = head + 32 * (len(delayed) + 1)
    offsets, text = [], b""
    for name in imported + delayed:
        offsets.append(base + names + len(text))
        text += name.encode() + b"\0"
    section = b"".join(struct.pack("<12xI4x", at) for at in offsets[: len(imported)]) + bytes(20)
    section += b"".join(struct.pack("<4xI24x", at) for at in offsets[len(imported) :]) + bytes(32) + text
    directories = [(0, 0)] * 16
    directories[1] = (base, head) if imported else (0, 0)
    directories[13] = (base + head, 32) if delayed else (0, 0)
    optional = struct.pack("<H106xI", magic, 16) + b"".join(struct.pack("<II", *entry) for entry in directories)
    image = b"MZ" + bytes(0x3A) + struct.pack("<I", 0x40) + b"PE\0\0"
    image += struct.pack("<HH12xHH", 0x8664, 1, len(optional), 0) + optional
    image += struct.pack("<8sIIII16x", b".idata", len(section), base, len(section), raw)
    return image.ljust(raw, b"\0") + section


def test_imports_and_delayed_imports_are_read() -> None:
    assert closure.imports(pe_image(["KERNEL32.dll", "msvcp140.dll"], ["dxgi.dll"])) == [
        "kernel32.dll", "msvcp140.dll", "dxgi.dll",
    ]  # fmt: skip
    assert closure.imports(pe_image([], [])) == []


@pytest.mark.parametrize("image", [b"", b"#!/bin/sh", b"MZ" + bytes(100), pe_image(["a.dll"], [], magic=0x10B)])
def test_files_that_are_no_64_bit_images_are_refused(image: bytes) -> None:
    with pytest.raises(ValueError, match="PE file"):
        closure.imports(image)


def test_bundle_is_closed_when_each_import_is_inside_or_part_of_windows(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "brain.exe").write_bytes(pe_image(["kernel32.dll", "python311.dll"], []))
    (tmp_path / "sub" / "Python311.dll").write_bytes(pe_image(["api-ms-win-crt-heap-l1-1-0.dll"], ["VERSION.dll"]))
    closure.check(tmp_path)


def test_missing_runtime_is_found_and_named(tmp_path: Path) -> None:
    (tmp_path / "core.pyd").write_bytes(pe_image(["kernel32.dll", "MSVCP140.dll"], []))
    assert closure.missing(tmp_path) == {"core.pyd": ["msvcp140.dll"]}
    with pytest.raises(BuildError, match=r"core\.pyd needs msvcp140\.dll"):
        closure.check(tmp_path)


def test_cuda_libraries_may_be_absent(tmp_path: Path) -> None:
    (tmp_path / closure.OPTIONAL[0]).write_bytes(pe_image(["cudart64_12.dll"], []))
    closure.check(tmp_path)


# The tournament zip


def product(folder: Path) -> Path:
    (folder / "_internal").mkdir()
    (folder / "_internal" / "data.bin").write_bytes(os.urandom(1000))
    (folder / "pbrain-renga.exe").write_bytes(b"MZ")
    return folder / "pbrain-renga.exe"


def test_zip_has_the_executable_in_its_root_under_the_tournament_name(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    parcel.pack(product(tmp_path / "p"), tmp_path / "renga.zip")
    parcel.check(tmp_path / "renga.zip", limit=10_000)
    with zipfile.ZipFile(tmp_path / "renga.zip") as package:
        assert sorted(package.namelist()) == ["_internal/data.bin", "pbrain-renga64.exe"]


def test_equal_folders_give_equal_zips(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    executable = product(tmp_path / "p")
    parcel.pack(executable, tmp_path / "a.zip")
    os.utime(executable, (10**9, 10**9))
    parcel.pack(executable, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["renga/pbrain-renga64.exe"], "root"),
        (["pbrain-renga64.exe", "helper.exe"], "no other program"),
        (["data.bin"], "root"),
        (["pbrain-renga64.exe", "d\u00e4ta.bin"], "names"),
    ],
)
def test_zips_a_manager_would_stumble_over_are_refused(tmp_path: Path, names: list[str], complaint: str) -> None:
    with zipfile.ZipFile(tmp_path / "renga.zip", "w") as package:
        for name in names:
            package.writestr(name, "x")
    with pytest.raises(BuildError, match=complaint):
        parcel.check(tmp_path / "renga.zip", limit=10_000)


def test_only_the_package_for_people_holds_a_second_program(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    executable = product(folder)
    (folder / "renga.exe").write_bytes(b"MZ")
    parcel.pack(executable, tmp_path / "renga.zip")
    parcel.check(tmp_path / "renga.zip", limit=10_000, for_people=True)
    with pytest.raises(BuildError, match="no other program"):
        parcel.check(tmp_path / "renga.zip", limit=10_000)
    (folder / "renga.exe").unlink()
    parcel.pack(executable, tmp_path / "renga.zip")
    with pytest.raises(BuildError, match=r"renga\.exe"):
        parcel.check(tmp_path / "renga.zip", limit=10_000, for_people=True)


def test_zip_over_its_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    parcel.pack(product(tmp_path / "p"), tmp_path / "renga.zip")
    with pytest.raises(BuildError, match="limit"):
        parcel.check(tmp_path / "renga.zip", limit=500)
