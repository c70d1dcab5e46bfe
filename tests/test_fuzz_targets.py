"""The fuzzers themselves: their seeds, what they and attacks by hand have found, and that they can find something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from protocol_tests.process import Brain, Failed
from tests.fuzz import guided, talk
from tests.fuzz.targets import CERTIFICATE, TARGETS

ROOT = Path(__file__).parent.parent

FOUND = {
    "certificate": [CERTIFICATE.replace(b"tree 2\nf4\nf5(b5,c5,g5,h5:1) g5\n", b"tree 0\n")],
    "database": [
        TARGETS["database"].seeds[0].replace(b",3,,", b",99999999999999999999,,"),
        TARGETS["database"].seeds[0].replace(b",3,,", b",3,two,"),
        TARGETS["database"].seeds[0].replace(b"text", b"t" * 140_000),
    ],
}
"""Inputs that a reader has failed on."""


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_findings_are_read_or_refused(name: str) -> None:
    for data in (*TARGETS[name].seeds, *FOUND.get(name, [])):
        TARGETS[name].run(data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_with_bytes_changed_are_read_or_refused(name: str) -> None:
    chance, target = Random(name), TARGETS[name]
    for _ in range(150):
        data = bytearray(chance.choice(target.seeds))
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(data) + 1)
            word = chance.choice((*target.words, "\n", " ", ",", "9", "\0")).encode()
            data[at : at + chance.randint(0, 4)] = chance.choice((word, chance.randbytes(2), data[:at][-20:]))
        target.run(bytes(data))


def test_a_writer_that_does_not_fit_its_reader_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("renga.sgf.write_sgf", lambda game: "(;GM[4])")
    with pytest.raises(AssertionError):
        TARGETS["sgf"].run(TARGETS["sgf"].seeds[0])


def test_without_atheris_one_line_says_so(tmp_path: Path) -> None:
    if guided.missing() is None:
        pytest.skip("atheris is here")
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "readers", "--corpus", str(tmp_path)], cwd=ROOT, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2 and run.stderr.startswith("atheris is not installed") and run.stderr.count("\n") == 1


def test_inputs_and_lines_are_counted_over_several_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided.Counted, "EVERY_S", -1.0)
    for _ in range(2):
        counted = guided.Counted(lambda data: None, True, tmp_path / "sgf.count")
        counted(b"a\nb")
    assert guided.account(tmp_path) == [("sgf", 2, 4)]


COMMAND = [sys.executable, "-m", "brain", "--network", "off"]


def test_a_conversation_with_the_program_finds_nothing_and_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "CONVERSATIONS", 2)
    path = tmp_path / "account.json"
    for lines in (1, 1000):
        assert talk.run(COMMAND, path, seed=3, lines=lines, tolerance_ms=20_000) == 0
    account = talk.Account(**talk.json.loads(path.read_text()))
    assert account.conversations >= 4 and account.lines >= 1000 and account.moves > 0 and not account.found
    with pytest.raises(ValueError, match="of seed 3"):
        talk.run(COMMAND, path, seed=4, lines=1, tolerance_ms=20_000)


def test_a_program_that_dies_is_found_and_kept_in_the_account(tmp_path: Path) -> None:
    dying = [sys.executable, "-c", "import sys; sys.stderr.write('no'); sys.exit(1)"]
    assert talk.run(dying, tmp_path / "account.json", seed=1, lines=1, tolerance_ms=10_000) == 1
    account = talk.Account(**talk.json.loads((tmp_path / "account.json").read_text()))
    assert account.conversations == len(account.found) == 1


CHEAT = """
import sys
for line in sys.stdin:
    word = line.split()[0].upper() if line.split() else ""
    if word in ("START", "RECTSTART"):
        print("OK", flush=True)
    elif word in ("TURN", "DONE", "BEGIN"):
        print("0,0", flush=True)
"""


def test_a_program_that_plays_one_cell_only_is_found(tmp_path: Path) -> None:
    account = talk.Account(1)
    with Brain([sys.executable, "-c", CHEAT]) as brain:
        talker = talk.Talker(brain, account, tolerance_ms=10_000)
        talker.chance = Random(1)
        talker.new_game()
        with pytest.raises(Failed, match=r"occupied|expected"):
            for _ in range(4):
                talker.turn()
