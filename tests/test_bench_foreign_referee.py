"""Games of c-gomoku-cli as it writes them, read back and judged again; the program itself is a stand-in."""

from pathlib import Path

import pytest

from bench.__main__ import main
from bench.foreign_referee import disagreement, read_sgf

HEAD = "(;FF[4]GM[4]GN[1]EV[A x B]DT[2026.01.01 00:00:00]RO[1.1]RU[{rule}]SZ[15]PB[A]PW[B]RE[{result}]TE[{why}]\n"
FIVE = ";B[hh]C[opening move];W[aa]C[opening move]\n;B[ih]C[5ms];W[ba]C[7ms];B[jh]C[5ms];W[ca]C[7ms];B[kh]C[1ms]\n"


def game(rule: int, result: str, why: str, moves: str) -> str:
    return HEAD.format(rule=rule, result=result, why=why) + moves + ")\n\n"


def test_a_game_is_read_with_its_opening_and_times() -> None:
    text = game(0, "B+1", "Black win by five connection", FIVE + ";W[da]C[7ms];B[lh]C[5ms]")
    (record,) = read_sgf(text)
    assert (record.black, record.white, record.result, record.reason) == ("A", "B", "1-0", "five")
    assert record.opening == 2 and record.moves[0] == (7, 7) and record.ms[2] == 5
    assert disagreement(record) is None


def test_results_our_rules_do_not_share_are_found() -> None:
    nobody = game(0, "B+1", "Black win by five connection", FIVE)
    late = game(0, "0", "Draw by adjudication", FIVE + ";W[da]C[7ms];B[lh]C[5ms];W[ea]C[7ms]")
    foul = ";B[fh]C[1ms];W[aa]C[1ms];B[gh]C[1ms];W[ca]C[1ms];B[hf]C[1ms];W[ea]C[1ms];B[hg]C[1ms];W[ga]C[1ms]"
    unseen = game(4, "0", "Draw by adjudication", foul + ";B[hh]C[1ms];W[ia]C[1ms]")
    seen = game(4, "W+1", "Black play forbidden move - double three", foul + ";B[hh]C[1ms]")
    found = [disagreement(record) for record in read_sgf(nobody + late + unseen + seen)]
    assert found == ["nobody made five", "l8 makes five", "h8 is a foul", None]


def test_a_foul_that_is_not_among_the_moves_is_believed_where_there_is_one() -> None:
    why = "Black play forbidden move - double three"
    three_three = ";B[fh]C[1ms];W[aa]C[1ms];B[gh]C[1ms];W[ca]C[1ms];B[hf]C[1ms];W[ea]C[1ms];B[hg]C[1ms];W[ga]C[1ms]"
    believed, refused = game(4, "W+1", why, three_three), game(4, "W+1", why, ";B[hh]C[1ms];W[aa]C[1ms]")
    found = [disagreement(record) for record in read_sgf(believed + refused)]
    assert found == [None, "black has no foul to play"]


def test_a_match_is_handed_over_and_its_games_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "c-gomoku-cli"
    games = game(0, "B+1", "Black win by five connection", FIVE + ";W[da]C[7ms];B[lh]C[5ms]") * 2
    program.write_text(f'#!/bin/sh\nfor last; do :; done\ncat > "$last" <<"E"\n{games}E\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    arguments = ["match", "one", "two", "--games", "2", "--referee", "c-gomoku-cli"]
    assert main(arguments) == 0
    assert "2 won, 0 drawn, 0 lost" in capsys.readouterr().out
    assert main([*arguments, "--rule", "caro"]) == 2
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(arguments) == 2
    assert "not on the PATH" in capsys.readouterr().err
