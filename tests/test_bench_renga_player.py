"""Renga as a player in this process: options by name, and what is not understood is named."""

import time
from pathlib import Path

import pytest

from bench.game import GameSpec, play_game
from bench.own_players import make_own
from bench.players import Control, PlayerFailure
from bench.reference import BLACK, FREESTYLE, RENJU, WHITE

QUICK = Control(turn_ms=60_000, nodes=40)


@pytest.mark.parametrize("rule", [FREESTYLE, RENJU])
def test_a_game_of_two_settings_ends_without_a_fault(rule: int) -> None:
    players = {
        BLACK: make_own("renga:network=off,explore=0.9", 1),
        WHITE: make_own("renga:network=off,hot_visits=20,batch=4", 2),
    }
    record = play_game(GameSpec("g", "p", "a", "b", rule, 9, 9, (), QUICK), players)
    assert record.reason in ("five", "full")


def test_processor_time_is_a_limit_of_its_own() -> None:
    player = make_own("renga:network=off", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=600_000, cpu_ms=30))
    before = time.thread_time()
    player.choose([(7, 7), (8, 8)], 1 << 30)
    assert 0.02 < time.thread_time() - before < 0.3
    searcher = player._thinker._searcher
    assert searcher.simulations > 50 and searcher.proof is None


def test_a_wanted_number_of_root_visits_is_not_forgotten_when_thinking_starts() -> None:
    def fewest_visits(options: str) -> int:
        player = make_own(f"renga:network=off{options}", 1)
        player.new_game(15, 15, FREESTYLE, Control(turn_ms=60_000, nodes=200))
        player.choose([(7, 7), (8, 8)], 1 << 30)
        return min(visits for _, visits, *_ in player._thinker._searcher.children())

    assert fewest_visits("") == 0
    assert fewest_visits(",min_root_visits=3") >= 3


def test_the_same_seed_and_nodes_give_the_same_game() -> None:
    games = []
    for _ in range(2):
        players = {colour: make_own("renga:network=off", colour) for colour in (BLACK, WHITE)}
        games.append(play_game(GameSpec("g", "p", "a", "b", FREESTYLE, 9, 9, (), QUICK), players).moves)
    assert games[0] == games[1]


@pytest.mark.parametrize("name", ["renga:explroe=1", "random:explore=1", "nobody"])
def test_what_is_not_understood_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=name.partition(":")[2].partition("=")[0] if "renga" in name else name[:6]):
        make_own(name, 1)


def test_an_absent_network_file_is_the_players_failure(tmp_path: Path) -> None:
    player = make_own(f"renga:network={tmp_path / 'none.onnx'}", 1)
    with pytest.raises(PlayerFailure, match=r"none\.onnx"):
        player.new_game(15, 15, FREESTYLE, QUICK)


def test_the_network_counts_as_memory_as_it_does_in_play() -> None:
    player = make_own("renga:", 1)
    player.new_game(15, 15, FREESTYLE, QUICK)
    network = player._thinker._network
    assert network.ready(FREESTYLE) and network.bytes == network.evaluator(FREESTYLE).bytes > 30 << 20
