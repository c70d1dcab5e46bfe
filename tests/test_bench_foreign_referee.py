"""Games of c-gomoku-cli as it writes them, read back and replayed; the program itself is a stand-in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.foreign_referee import disagreement, read_sgf
from bench.records import read_results

HEAD = (
    "(;FF[4]GM[4]GN[{number}]EV[A x B]DT[2026.01.01 00:00:00]RO[1.1]RU[{rule}]SZ[15]PB[A]PW[B]"
    "RE[{result}]TE[{why}]\n"
)
FIVE = ";B[hh]C[opening move];W[aa]C[opening move]\n;B[ih]C[5ms];W[ba]C[7ms];B[jh]C[5ms];W[ca]C[7ms];B[kh]C[1ms]\n"


def game(rule: int, result: str, why: str, moves: str, number: int = 1) -> str:
    return HEAD.format(rule=rule, result=result, why=why, number=number) + moves + ")\n\n"


def won(number: int) -> str:
    return game(0, "B+1", "Black win by five connection", FIVE + ";W[da]C[7ms];B[lh]C[5ms]", number)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Puts a program in the place of c-gomoku-cli that writes these games and ends like this."""

    def install(games: str, ending: str) -> None:
        program = tmp_path / "c-gomoku-cli"
        program.write_text(f'#!/bin/sh\nfor last; do :; done\ncat > "$last" <<"E"\n{games}E\n{ending}\n')
        program.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return install


def test_a_game_is_read_with_its_opening_and_times() -> None:
    (record,) = read_sgf(won(1))
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
    stand_in, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(won(1) + won(2), "exit 0")
    out = tmp_path / "m.jsonl"
    arguments = ["match", "one", "two", "--games", "2", "--referee", "c-gomoku-cli", "--out"]
    assert main([*arguments, str(out)]) == 0
    assert "2 won, 0 drawn, 0 lost" in capsys.readouterr().out
    assert [record.name for record in read_results(out)[1]] == ["0001a", "0001b"]
    assert main([*arguments, str(out)]) == 2
    assert "cannot resume a match" in capsys.readouterr().err
    for wrong in (["--rule", "caro"], ["--fresh"]):
        assert main([*arguments, str(tmp_path / "other.jsonl"), *wrong]) == 2
    monkeypatch.setenv("PATH", "/nowhere")
    assert main([*arguments, str(tmp_path / "other.jsonl")]) == 2
    assert "not on the PATH" in capsys.readouterr().err
    assert not (tmp_path / "other.jsonl").exists()


@pytest.mark.parametrize(("ending", "code"), [("exit 3", 3), ("kill -9 $$", -9)])
def test_games_that_were_finished_outlive_the_end_of_the_referee(
    ending: str, code: int, stand_in, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # It writes games in order, but at its end also those that were waiting for another; the last one is cut short.
    stand_in(won(1) + won(4) + won(5)[:-20] + "\n", ending)
    out, pgn = tmp_path / "m.jsonl", tmp_path / "games.pgn"
    arguments = ["match", "one", "two", "--games", "6", "--referee", "c-gomoku-cli", "--pgn", str(pgn)]
    assert main([*arguments, "--out", str(out)]) == 2
    told = capsys.readouterr()
    assert "2 won, 0 drawn, 0 lost of 2" in told.out
    assert told.err == (
        f"bench match: c-gomoku-cli: it ended with code {code} after 2 of 6 games. All its games are in {out}.sgf\n"
    )
    assert [record.name for record in read_results(out)[1]] == ["0001a", "0002b"]
    assert pgn.read_text().count("[Event ") == 2
    assert (tmp_path / "m.jsonl.sgf").read_text().count("(;FF") == 3


def test_a_game_our_rules_do_not_share_is_named_and_the_others_count(
    stand_in, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(won(1) + game(0, "B+1", "Black win by five connection", FIVE, 2), "exit 0")
    out = tmp_path / "m.jsonl"
    assert main(["match", "one", "two", "--games", "2", "--referee", "c-gomoku-cli", "--out", str(out)]) == 2
    told = capsys.readouterr()
    assert "1 won, 0 drawn, 0 lost of 1" in told.out
    assert "game 0001b is 1-0 (five) to it, but nobody made five" in told.err
    assert [record.name for record in read_results(out)[1]] == ["0001a"]
