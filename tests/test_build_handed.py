"""The trials of packages as they are handed out, on the source tree and on stand-ins."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from freeze import handed, parcel
from freeze.plan import ROOT
from freeze.talk import TalkError

BRAIN = [sys.executable, "-m", "brain"]


def saying(*lines: str) -> list[str]:
    """A program that says these lines, one for each that it hears."""
    script = "import sys\nfor said in {!r}: input(); print(said, flush=True)\ninput()"
    return [sys.executable, "-c", script.format(lines)]


def test_the_source_tree_passes() -> None:
    assert "gone" in handed.converses(BRAIN, ROOT)
    assert "all is well; renga.onnx on core" in handed.finds_itself_sound(BRAIN, ROOT)
    assert "terminal" in handed.explains_itself(BRAIN, ROOT)
    assert handed.serves_people(BRAIN, ROOT) == "not in this package"


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (("UNKNOWN",), "UNKNOWN"),
        (("OK", 'name="Pela"'), "Pela"),
        (("OK", 'name="Renga", version="1", author="x"', "DEBUG", "DEBUG", "DEBUG", "15,0"), "15,0 is no move"),
    ],
)
def test_a_bad_conversation_is_found(lines: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(TalkError, match=complaint):
        handed.converses(saying(*lines), ROOT)


def test_a_selftest_that_fails_is_quoted() -> None:
    with pytest.raises(TalkError, match="exit code 1: moves    FAILED: too slow"):
        handed.finds_itself_sound([sys.executable, "-c", "print('moves    FAILED: too slow'); exit(1)"], ROOT)


def test_a_program_that_says_nothing_to_people_is_found() -> None:
    with pytest.raises(TalkError, match="it says: nothing"):
        handed.explains_itself([sys.executable, "-c", ""], ROOT)


def test_every_package_is_tried_in_either_prefix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "renga.zip"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr(parcel.TOURNAMENT_EXE, b"MZ")

    @contextmanager
    def prefix() -> Iterator[list[str]]:
        yield ["wine"]

    def looks(command: list[str], folder: Path) -> str:
        assert command == ["wine", str(folder / parcel.TOURNAMENT_EXE)] and (folder / parcel.TOURNAMENT_EXE).exists()
        return "fine"

    def fails(command: list[str], folder: Path) -> str:
        raise TalkError("no")

    monkeypatch.setattr(handed, "plain_prefix", prefix)
    monkeypatch.setattr(handed, "prefix_of_the_build", prefix)
    monkeypatch.setattr(handed, "TRIALS", (looks,))
    assert handed.main([str(package)]) == 0
    monkeypatch.setattr(handed, "TRIALS", (looks, fails))
    assert handed.main([str(package)]) == 1
    assert capsys.readouterr().out.count("renga.zip, plain prefix: fails: FAILED: no") == 1


def test_a_package_that_is_missing_or_damaged_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def prefix() -> Iterator[list[str]]:
        yield ["wine"]

    monkeypatch.setattr(handed, "plain_prefix", prefix)
    damaged = tmp_path / "renga.zip"
    damaged.write_bytes(b"PK")
    for package, complaint in ((damaged, "not a zip file"), (tmp_path / "none.zip", "No such file")):
        assert handed.main([str(package)]) == 1
        assert complaint in capsys.readouterr().err
