"""brain.weights: where networks lie, and whether they are whole."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from networks import write_network

from brain import weights
from brain.weights import WeightsError, card_answers, card_checksums, check, find, sha256, weights_folder


def test_the_folder_does_not_depend_on_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = weights_folder()
    monkeypatch.chdir(tmp_path)
    assert weights_folder() == before == Path(weights.__file__).resolve().parent.parent / "weights"


def test_the_executable_has_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert weights_folder() == tmp_path / "weights"
    with pytest.raises(WeightsError, match=r"renga\.onnx is missing"):
        find()


def test_all_three_files_must_be_there(tmp_path: Path) -> None:
    path = write_network(tmp_path / "net.onnx")
    files = find(path)
    assert (files.line.name, files.trunk.name, files.card.name) == ("net-line.onnx", "net-trunk.onnx", "net.md")
    files.line.unlink()
    with pytest.raises(WeightsError, match=r"net-line\.onnx is missing"):
        find(path)
    with pytest.raises(WeightsError, match=r"not an \.onnx file"):
        find(tmp_path / "net.pt")


def test_checksums_of_the_card_are_compared(tmp_path: Path) -> None:
    files = find(write_network(tmp_path / "net.onnx"))
    check(files)
    files.card.write_text(f"# net\n\n    sha256 net.onnx {sha256(files.full)}\n    sha256 net-trunk.onnx {'0' * 64}\n")
    assert card_checksums(files.card)["net-trunk.onnx"] == "0" * 64
    with pytest.raises(WeightsError, match=r"net-trunk\.onnx is damaged"):
        check(files)


def test_a_card_whose_answers_are_no_numbers_is_named(tmp_path: Path) -> None:
    card = tmp_path / "net.md"
    card.write_text("answer 0.5 0.25 0.25\nanswer 0.5 a quarter\n")
    with pytest.raises(WeightsError, match=r"net\.md cannot be used"):
        card_answers(card)


@pytest.mark.parametrize(
    ("method", "name"),
    [("is_file", "net.onnx"), ("is_file", "net.md"), ("read_text", "net.md"), ("read_bytes", "net-trunk.onnx")],
)
def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, name: str
) -> None:
    path = write_network(tmp_path / "net.onnx")
    (tmp_path / "net.md").write_text(f"sha256 net-trunk.onnx {'0' * 64}\n")
    allowed = getattr(Path, method)

    def forbidden(file: Path, *rest: object, **options: object) -> object:
        if file.name == name:
            raise PermissionError(13, "Permission denied", str(file))
        return allowed(file, *rest, **options)

    monkeypatch.setattr(Path, method, forbidden)
    with pytest.raises(WeightsError, match=rf"{name} cannot be read: Permission denied"):
        check(find(path))
