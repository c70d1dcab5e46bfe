"""The endurance run: every rule, many boards, and no fault goes unseen."""

from itertools import pairwise
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.endurance import Sample, growth, in_blocks, schedule
from bench.notation import RULE_NAMES
from bench.stretches import ranges


def test_all_rules_and_sizes_are_played() -> None:
    games = list(schedule(500, 10, 20, 1000, 1))
    assert len({game.name for game in games}) == 500
    assert {game.rule for game in games} == set(RULE_NAMES)
    for rule in RULE_NAMES:
        assert {game.width for game in games if game.rule == rule} == set(range(10, 21))
    assert any(game.width != game.height for game in games)


def test_ten_thousand_games_are_spread_as_promised() -> None:
    controls = [game.control for game in schedule(10_000, 10, 20, 1000, 1)]
    assert 8_800 <= sum(10 <= control.turn_ms <= 30 for control in controls) <= 9_200
    assert 250 <= sum(control.turn_ms == 1000 for control in controls) <= 350
    assert min(control.memory for control in controls) == 70 << 20
    assert max(control.memory for control in controls) == 350 << 20
    assert {control.threads for control in controls} == {1, 2}


def test_processes_are_fresh_and_reused() -> None:
    assert 60 <= sum(game.fresh for game in schedule(500, 10, 20, 1000, 1)) <= 140


def test_the_same_seed_makes_the_same_games() -> None:
    assert list(schedule(20, 10, 20, 1000, 3)) == list(schedule(20, 10, 20, 1000, 3))


def test_every_game_is_played_and_few_follow_one_of_another_rule() -> None:
    games = list(schedule(1500, 10, 20, 1000, 1))
    order = in_blocks(games)
    assert sorted(game.name for game in order) == [game.name for game in games]
    changes = sum(one.rule != next_.rule for one, next_ in pairwise(order))
    assert 12 <= changes <= 20


def test_good_players_end_without_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--command", "@random", "--games", "10", "--sizes", "5", "9",
                 "--tolerance-ms", "60000"]  # fmt: skip
    assert main([*arguments, "--out", str(tmp_path / "e.jsonl")]) == 0
    assert "10 games, " in capsys.readouterr().out


def test_a_fault_is_counted_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--command", "false", "--games", "1", "--out", str(tmp_path / "e.jsonl")]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "1 faults" in out and "crash" in out


def test_a_run_goes_on_from_what_the_repository_keeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--command", "@random", "--sizes", "5", "9", "--tolerance-ms", "60000",
                 "--kept", str(tmp_path / "kept.json")]  # fmt: skip
    assert main([*arguments, "--games", "4", "--out", str(tmp_path / "here.jsonl")]) == 0
    assert main([*arguments, "--games", "6", "--out", str(tmp_path / "elsewhere.jsonl")]) == 0
    assert "\n6 games, " in capsys.readouterr().out
    assert len((tmp_path / "elsewhere.jsonl").read_text().splitlines()) == 1 + 2
    (tmp_path / "here.jsonl").rename(tmp_path / "again.jsonl")
    assert main([*arguments, "--games", "6", "--out", str(tmp_path / "again.jsonl")]) == 0
    assert "\n6 games, " in capsys.readouterr().out


def test_a_kept_file_of_another_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--command", "@random", "--games", "1", "--kept", str(tmp_path / "kept.json")]
    assert main([*arguments, "--sizes", "5", "9", "--out", str(tmp_path / "a.jsonl")]) == 0
    assert main([*arguments, "--sizes", "5", "8", "--out", str(tmp_path / "b.jsonl")]) == 2
    assert "of another run" in capsys.readouterr().err


def test_numbers_are_kept_as_ranges() -> None:
    assert ranges([7, 1, 3, 2, 9, 8]) == [[1, 3], [7, 9]]


def test_growth_is_the_slope_after_the_first_quarter() -> None:
    filling = [Sample(number, 1000 * number) for number in range(1, 101)]
    steady = [Sample(number, 100_000 + 7 * number) for number in range(101, 401)]
    assert growth(filling + steady) == pytest.approx(7000)


def test_one_process_plays_all_games_while_its_memory_is_watched(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["endurance", "--growth", "--games", "3", "--sizes", "5", "6", "--tolerance-ms", "60000"]
    main(arguments)  # three games are too few for a verdict
    assert "3 games in one process: " in capsys.readouterr().out
