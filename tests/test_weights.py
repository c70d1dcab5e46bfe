"""brain.weights: where networks lie, and whether they can be read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from networks import write_network

from brain import onnx_file, weights
from brain.weights import WeightsError, find, weights_folder


def test_the_folder_does_not_depend_on_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = weights_folder()
    monkeypatch.chdir(tmp_path)
    assert weights_folder() == before == Path(weights.__file__).resolve().parent.parent / "weights"


def test_the_executable_has_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert weights_folder() == tmp_path / "weights"
    with pytest.raises(WeightsError, match=r"renga\.onnx is missing"):
        find()


def test_a_network_is_one_file_of_the_right_name(tmp_path: Path) -> None:
    path = write_network(tmp_path / "net.onnx")
    assert find(path) == path
    path.unlink()
    with pytest.raises(WeightsError, match=r"net\.onnx is missing"):
        find(path)
    with pytest.raises(WeightsError, match=r"not an \.onnx file"):
        find(tmp_path / "net.pt")


@pytest.mark.parametrize("method", ["is_file", "read_bytes"])
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    path = write_network(tmp_path / "net.onnx")

    def forbidden(file: Path, *rest: object, **options: object) -> object:
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(Path, method, forbidden)
    with pytest.raises(WeightsError, match=r"net\.onnx cannot be read: Permission denied"):
        onnx_file.load(path)


def test_the_shipped_network_is_one_file_below_a_megabyte_and_its_card_beside_the_book() -> None:
    names = sorted(path.name for path in weights_folder().glob("*") if path.suffix != ".py" and path.is_file())
    assert names == ["renga.book", "renga.md", "renga.onnx"]
    assert find().stat().st_size < 1 << 20
    assert f"`{onnx_file.load().metadata['network']}`" in find().with_suffix(".md").read_text()
