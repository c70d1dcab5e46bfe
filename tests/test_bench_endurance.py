"""The endurance run: every rule, many boards, and no fault goes unseen."""

from pathlib import Path

import pytest

from bench.__main__ import main
from bench.endurance import schedule
from bench.notation import RULE_NAMES
from bench.players import Control


def test_all_rules_and_sizes_are_played() -> None:
    games = list(schedule(500, 10, 20, Control(), 1))
    assert len({game.name for game in games}) == 500
    assert {game.rule for game in games} == set(RULE_NAMES)
    for rule in RULE_NAMES:
        assert {game.width for game in games if game.rule == rule} == set(range(10, 21))
    assert any(game.width != game.height for game in games)


def test_the_same_seed_makes_the_same_games() -> None:
    assert list(schedule(20, 10, 20, Control(), 3)) == list(schedule(20, 10, 20, Control(), 3))


def test_good_players_end_without_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--command", "@random", "--games", "10", "--sizes", "5", "9",
                 "--tolerance-ms", "60000"]  # fmt: skip
    assert main([*arguments, "--out", str(tmp_path / "e.jsonl")]) == 0
    assert "10 games at 50 ms a move" in capsys.readouterr().out


def test_a_fault_is_counted_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--command", "false", "--games", "1", "--out", str(tmp_path / "e.jsonl")]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "1 faults" in out and "crash" in out
