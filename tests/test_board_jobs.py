"""The work of the engine's process, without the process."""

from __future__ import annotations

import re
from typing import Any

import pytest

import renga
from renga.verify import Refuted, verify
from renga.web import jobs

BEFORE_A_WIN = "h8a1h9a2i8a14"
"""Freestyle, black to move: three stones together win by threes and fours."""


def certify(code: str, method: str) -> dict[str, Any]:
    position = {"width": 15, "height": 15, "rule": "freestyle", "moves": re.findall("[a-z]+[0-9]+", code)}
    with renga.Engine(network="off") as engine:
        job = jobs.KINDS["certify"](engine)
        return job.run({"position": position, "method": method, "nodes": 20_000}, lambda update: None)


def test_a_certificate_is_what_the_verifier_accepts() -> None:
    answer = certify(BEFORE_A_WIN, "vct")
    found = verify(answer["text"].encode("ascii"))
    assert found.claim.startswith("black wins within")
    assert (found.plies, found.lines, found.positions) == (answer["plies"], answer["lines"], answer["positions"])


def test_without_a_win_there_is_no_certificate() -> None:
    assert certify("h8i9", "vcf") == {"text": None}


def test_a_certificate_that_does_not_hold_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuted(*arguments: Any, **more: Any) -> None:
        raise Refuted("unanswered: h9")

    monkeypatch.setattr(renga, "solve", refuted)
    with pytest.raises(ValueError, match="no certificate could be made: unanswered: h9"):
        certify(BEFORE_A_WIN, "vct")
