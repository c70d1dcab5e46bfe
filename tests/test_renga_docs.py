"""The examples of docs/python.md, from another directory."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "python.md"


def test_the_examples_of_the_python_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert failed == 0 and tried > 40
    assert {path.name for path in tmp_path.iterdir()} == {"game.sgf", "game.psq"}
