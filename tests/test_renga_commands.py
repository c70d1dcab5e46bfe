"""The command `renga`: what it prints, what scripts get, and what its exit codes mean."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import renga
from brain import selftest
from renga.__main__ import COMMANDS, main

ROOT = Path(__file__).parent.parent
WIN = "h8i8g8f8h9i9h7i7"
"""Black has an open three and is to move."""


def run(*arguments: str) -> int:
    return main(list(arguments))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "board"])
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(name, "--help")
    assert left.value.code == 0
    printed = capsys.readouterr().out
    assert f"usage: renga {name}" in printed and "--json" in printed


def test_the_list_of_commands_has_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("--help")
    printed = capsys.readouterr().out
    assert all(name in printed for name in [*COMMANDS, "brain"])


def test_analyse_prints_the_same_as_the_engine_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("analyse", "h8i9g9i7", "--nodes", "100", "--lines", "2", "--json", "--network", "off") == 0
    told = json.loads(capsys.readouterr().out)
    with renga.Engine(network="off") as engine:
        found = engine.analyse(renga.Board.from_code("h8i9g9i7"), renga.Limit(nodes=100), lines=2)
    assert [line["move"] for line in told["lines"]] == [str(line.move) for line in found.lines]
    assert [line["win_rate"] for line in told["lines"]] == [line.win_rate for line in found.lines]
    assert (told["code"], told["rule"], told["size"], told["turn"]) == ("h8i9g9i7", "freestyle", [15, 15], "black")
    assert run("analyse", "h8i9g9i7", "--nodes", "100", "--lines", "2", "--network", "off") == 0
    text = capsys.readouterr().out
    assert all(f"{line.move!s:4} {line.score:>7}" in text for line in found.lines)


def test_solve_says_by_its_exit_code_whether_there_is_a_win(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", WIN) == 0
    assert "black wins in 3 plies: h10 h11 h6" in capsys.readouterr().out
    assert run("solve", WIN, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["win"] and told["line"] == ["h10", "h11", "h6"] and told["plies"] == 3
    assert run("solve", "h8i8", "--method", "vcf") == 1
    assert "black has no win by vcf" in capsys.readouterr().out


def test_positions_come_from_files_and_from_any_move_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = renga.Game.from_board(renga.Board.from_code(WIN + "a1", rule="standard"))
    for name in ("game.sgf", "game.psq"):
        renga.write_game(game, tmp_path / name)
        assert run("solve", str(tmp_path / name), "--move", "8", "--json") == 0
        told = json.loads(capsys.readouterr().out)
        assert told["code"] == WIN and told["rule"] == "standard"
    assert run("solve", WIN + "a1", "--move", "8", "--json") == 0
    assert json.loads(capsys.readouterr().out)["code"] == WIN


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["analyse", "h8h8"], "renga analyse: position code, move 2: h8 is occupied"),
        (["analyse", "h8", "--rule", "go"], "no rule 'go'"),
        (["analyse", "h8", "--size", "99"], "no 99x99 board"),
        (["analyse", "h8", "--seconds", "-1"], "-1.0 seconds"),
        (["analyse", "h8", "--lines", "0"], "0 lines"),
        (["analyse", "h8", "--network", "nothing.onnx"], "nothing.onnx"),
        (["analyse", "h8", "--move", "2"], "--move 2: there are 1 moves"),
        (["analyse", "missing.sgf"], "renga analyse: missing.sgf: "),
        (["solve", "a1a5b1b5c1c5d1d5e1"], "the game is over"),
        (["play", "--level", "13"], "no level 13"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exit_code_2(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("h8\n"))
    assert run(*arguments) == 2
    printed, told = capsys.readouterr()
    assert not printed and complaint in told and told.count("\n") == 1


def test_a_game_is_played_to_its_end(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who takes the first cells of the board has lost, or won, or filled it."""
    typed = "".join(f"{column}{row}\n" for row in range(1, 6) for column in "abcde")
    monkeypatch.setattr("sys.stdin", io.StringIO("z9\nboard\n" + typed))
    assert run("play", "--size", "5", "--level", "2", "--seed", "4", "--json") == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0]["event"] == "start" and events[-1]["event"] == "over"
    assert any("z9 is off the 5x5 board" in event.get("message", "") for event in events)
    board = renga.Board(5)
    for event in events:
        if event["event"] == "move":
            board.play(event["move"])
    assert board.is_over and board.winner == events[-1]["winner"]


def test_a_player_may_undo_save_ask_and_leave(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.sgf"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"c3\nundo\nhint\nd4\nsave {path}\nresign\n"))
    arguments = ("play", "--size", "7", "--level", "5", "--seed", "1", "--seconds", "0.05")
    assert run(*arguments) == 0
    printed = capsys.readouterr().out
    assert "black resigns" in printed and " 7  . . . . . . ." in printed
    line = renga.read_game(path).main_line()
    assert len(line) == 2 and str(line[0].move) == "d4"
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(*arguments, "--colour", "white") == 0
    assert "Renga plays" in capsys.readouterr().out


def test_the_selftest_is_that_of_the_brain(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> str:
        raise selftest.SelftestError("the clock stands still")

    core = dict(selftest.checks())["core"]
    monkeypatch.setattr(selftest, "checks", lambda *files: (("core", core),))
    assert run("selftest", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] and told["checks"]["core"] == {"ok": True, "found": core()}
    monkeypatch.setattr(selftest, "checks", lambda *files: (("core", core), ("clock", broken)))
    assert run("selftest", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["ok"] and told["checks"]["clock"] == {"ok": False, "found": "the clock stands still"}
    assert run("selftest") == 1
    assert "1 of 2 checks failed" in capsys.readouterr().out


def test_the_selftest_checks_the_network_it_is_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = selftest.checks
    monkeypatch.setattr(selftest, "checks", lambda *files: every(*files)[1:2])
    missing = str(tmp_path / "missing.onnx")
    assert run("selftest", "--network", missing) == 1
    assert missing in capsys.readouterr().out
    assert run("selftest", "--json", "--network", missing) == 1
    assert missing in json.loads(capsys.readouterr().out)["checks"]["network"]["found"]


def test_renga_brain_speaks_the_protocol() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "renga", "brain", "--network", "off", "--book", "off"], input="START 15\nBEGIN\nEND\n",
        capture_output=True, text=True, cwd=ROOT, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["OK", "7,7"]


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_an_interrupt_ends_an_analysis_cleanly() -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "renga", "analyse", "h8i9", "--seconds", "600", "--network", "off"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    try:
        # Interrupted while it still imports, Python itself prints where; so wait until it computes.
        while (spent := _processor_seconds(running.pid)) < 1.0:
            assert running.poll() is None, spent
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, complaint = running.communicate(timeout=60)
    finally:
        running.kill()  # one that does not heed it must not think on for ten minutes
    assert (running.returncode, out, complaint) == (130, "", "renga analyse: interrupted\n")


def _processor_seconds(pid: int) -> float:
    """Of a running process; whole seconds enough for a wait where there is no /proc."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        time.sleep(2)
        return 1.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = [sys.executable, "-m", "renga", "analyse", "h8i9", "--seconds", "0.1"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (141, "")
