"""Levels for people: who errs how often, and the matches that are to show it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import cython_core as core
import renga
from bench import levels as bench_levels
from bench import runner
from bench.__main__ import main
from bench.game import GameRecord
from bench.level_player import LevelPlayer
from bench.levels import ONE_PLY, encounters, prefix_of, row, settings_table, spec_of
from bench.players import Control, make_player
from bench.simple_players import OnePlyPlayer
from renga.levels import LEVELS, Level, choose, level
from renga.search import Candidate

BOARD = renga.Board.from_code("h8i9g9i7")._core
CELLS = [core.cell(x, 0) for x in range(4)]
STEADY = Level(5, 10, oversight=0.0, temperature=0.1, reads_threats=True)


def look(values: dict[int, tuple[int, float]]) -> object:
    """A search that has seen these moves: cell -> visits, value."""
    return lambda board, nodes, reads: [Candidate(cell, *seen) for cell, seen in values.items()]


def test_there_are_twelve_levels_and_the_last_is_full_strength() -> None:
    assert [made.number for made in LEVELS] == list(range(1, 13))
    assert [made.is_full for made in LEVELS] == [False] * 11 + [True]
    assert level(12).is_full
    with pytest.raises(ValueError, match="no level 0"):
        level(0)


def test_higher_levels_look_more_and_err_less() -> None:
    for lower, higher in pairwise(LEVELS[:-1]):
        assert lower.nodes <= higher.nodes and lower.oversight >= higher.oversight
        assert lower.temperature >= higher.temperature and lower.reads_threats <= higher.reads_threats


def test_moves_are_taken_by_visits_and_temperature() -> None:
    chance = random.Random(1)
    seen = look({CELLS[0]: (50, 0.6), CELLS[1]: (20, 0.5), CELLS[2]: (5, 0.1), CELLS[3]: (0, 0.9)})
    taken = Counter(choose(BOARD, STEADY, chance, seen) for _ in range(4000))  # type: ignore[arg-type]
    # 0.1 worse is e times rarer than its visits say; 0.5 worse hardly ever; what was never tried has no value.
    assert taken[CELLS[0]] / taken[CELLS[1]] == pytest.approx(2.5 * 2.718, rel=0.15)
    assert taken[CELLS[2]] < 60 and taken[CELLS[3]] == 0
    cold = replace(STEADY, temperature=0.0)
    assert {choose(BOARD, cold, chance, seen) for _ in range(20)} == {CELLS[0]}  # type: ignore[arg-type]


def test_an_oversight_is_a_legal_cell_near_the_stones() -> None:
    blind = replace(STEADY, oversight=1.0)
    chance = random.Random(2)

    def nobody_looks(board: core.Board, nodes: int, reads: bool) -> list[Candidate]:
        raise AssertionError("it plays without looking")

    stones = [core.xy(cell) for cell, _ in BOARD.history]
    for _ in range(50):
        cell = choose(BOARD, blind, chance, nobody_looks)
        x, y = core.xy(cell)
        assert BOARD.legal(cell)
        assert min(max(abs(x - to_x), abs(y - to_y)) for to_x, to_y in stones) <= 2
    empty = core.Board(15, 15, core.RENJU)
    assert all(core.xy(choose(empty, blind, chance, nobody_looks))[0] in range(5, 10) for _ in range(20))


def test_a_level_that_reads_threats_takes_a_five_and_stops_one() -> None:
    mine = renga.Board.from_stones(["a1", "b1", "c1", "d1"], ["a3", "b3", "c3", "d3"], turn="black")
    theirs = renga.Board.from_stones(["a1", "b1", "c1", "d1"], ["a3", "b3", "c5", "d7"], turn="white")
    with renga.Engine(network="off", seed=1) as engine:
        for number in (10, 11):
            assert str(engine.play(mine, level=number)) == "e1"
            assert str(engine.play(theirs, level=number)) == "e1"


@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_every_level_plays_a_legal_game(rule: str) -> None:
    chance = random.Random(rule)
    with renga.Engine(network="off", seed=3) as engine:
        for number in range(1, 13):
            board = renga.Board(9, rule=rule)
            for _ in range(8):
                if board.is_over:
                    break
                board.play(chance.choice(board.legal_moves))
                if not board.is_over:
                    board.play(engine.play(board, renga.Limit(nodes=20), number))  # raises where it is not legal


# Matches


def record(black: str, white: str, result: str, pair: str) -> GameRecord:
    return GameRecord(f"{pair}{black}", pair, black, white, 0, 15, 15, 0, [], [], result, "five")


def test_neighbours_meet_and_level_1_meets_the_one_ply_player() -> None:
    assert encounters([1, 2, 3]) == [(ONE_PLY, "level 1"), ("level 2", "level 1"), ("level 3", "level 2")]
    assert encounters([5, 6]) == [("level 6", "level 5")]
    for name in (ONE_PLY, "level 7"):
        make_player(spec_of(name), 1).close()
    with pytest.raises(ValueError, match="level from 1 to 12, not '13'"):
        make_player("@level:13", 1)


def test_a_line_of_the_table_says_whether_the_step_is_as_intended() -> None:
    def games(wins: int, losses: int, stronger: str) -> list[GameRecord]:
        results = ["1-0"] * wins + ["0-1"] * losses
        prefix = prefix_of((stronger, "level 1"))
        return [record(stronger, "level 1", result, f"{prefix}{number // 2}") for number, result in enumerate(results)]

    assert row([], "level 2", "level 1") is None
    good = row(games(14, 6, "level 2"), "level 2", "level 1")
    assert good is not None and good.startswith("| level 2 | level 1 | 20 | 70.0 % | +147 [")
    assert good.endswith("| yes |")
    for wins in (10, 19):  # too small a step, too large a one
        line = row(games(wins, 20 - wins, "level 2"), "level 2", "level 1")
        assert line is not None and line.endswith("| no |")
    for wins, kept in ((19, "yes"), (17, "no")):
        line = row(games(wins, 20 - wins, ONE_PLY), ONE_PLY, "level 1")
        assert line is not None and line.endswith(f"| {kept} |")


def test_games_of_levels_that_were_made_of_something_else_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("level 2", "level 1"), ("level 3", "level 2")]
    played = [record(*pair, "1-0", prefix_of(pair)) for pair in pairs]
    changed = (*LEVELS[:2], replace(LEVELS[2], nodes=LEVELS[2].nodes + 1), *LEVELS[3:])
    monkeypatch.setattr("renga.levels.LEVELS", changed)
    assert row(played, *pairs[0]) is not None
    assert row(played, *pairs[1]) is None


def test_the_one_ply_player_takes_and_stops_fives() -> None:
    player = OnePlyPlayer(1)
    player.new_game(15, 15, core.FREESTYLE, Control())
    fours = [(0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 2), (3, 0)]
    assert player.choose(fours, 1000) == (4, 0)
    player.new_game(15, 15, core.FREESTYLE, Control())
    assert player.choose([*fours, (3, 2)], 1000) == (4, 0)


def test_a_run_of_matches_is_resumed_and_writes_its_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "levels.jsonl", tmp_path / "levels.md"
    arguments = ["levels", "--games", "2", "--levels", "1", "2", "--size", "7", "--out", str(out), "--page", str(page)]
    assert main(arguments) == 0
    first = out.read_text()
    assert len(first.splitlines()) == 1 + 4
    assert main(arguments) == 0
    assert out.read_text() == first
    text = page.read_text()
    assert settings_table() in text and "| level 2 | level 1 | 2 |" in text and f"| {ONE_PLY} | level 1 | 2 |" in text
    assert "Not played yet" not in text
    assert capsys.readouterr().out.count("| level 2 | level 1 | 2 |") == 2
    assert "level 2 against level 1" in bench_levels.missing([], encounters([1, 2]))


def test_the_page_of_the_project_has_the_levels_as_they_are() -> None:
    """Changed levels need new matches."""
    if not bench_levels.PAGE.exists():
        pytest.skip("docs/levels.md has not been written yet")
    assert settings_table() in bench_levels.PAGE.read_text()


def test_a_level_player_follows_the_game() -> None:
    player = LevelPlayer("2", 1)
    try:
        player.new_game(9, 9, core.RENJU, Control(nodes=10))
        moves: list[tuple[int, int]] = []
        for _ in range(4):
            x, y = player.choose(moves, 1000)
            moves.append((x, y))
        assert len(set(moves)) == 4
    finally:
        player.close()


def test_a_player_that_is_closed_for_want_of_room_is_not_the_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def close(self) -> None:
            closed.append(self.name)

    monkeypatch.setattr(runner, "make_player", lambda spec, seed: Named(spec))
    monkeypatch.setattr(runner, "_players", {})
    for number in range(runner.MAX_PLAYERS):
        runner._player(str(number), str(number), 1)
    runner._player("0", "0", 1)  # the oldest, about to play
    runner._player("new", "new", 1)
    assert closed == ["1"]
