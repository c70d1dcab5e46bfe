"""The seed systems as players: legal, on time, and each with its own final move."""

import time

import pytest

import cython_core as core
from bench.game import GameSpec, play_game
from bench.own_players import make_own
from bench.players import Control, PlayerFailure
from bench.reference import BLACK, CARO, FREESTYLE, RENJU, WHITE
from bench.seeds import RECIPES, Child, best_mean, most_visited, s4_move
from brain.weights import WeightsError

WITHOUT_NETWORK = ["random", "rollout", "s0", "s3", "s4"]


def absent(rule: int) -> None:
    raise WeightsError("no file")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading one takes seconds; shape weights do for most of what is asked here."""
    monkeypatch.setattr("bench.seeds.load_evaluator", absent)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", WITHOUT_NETWORK)
@pytest.mark.parametrize(("rule", "width", "height"), [(FREESTYLE, 9, 9), (RENJU, 11, 9), (CARO, 9, 12)])
def test_a_game_against_itself_ends_without_a_fault(name: str, rule: int, width: int, height: int) -> None:
    players = {BLACK: make_own(name, 1), WHITE: make_own(name, 2)}
    spec = GameSpec("g", "p", "a", "b", rule, width, height, (), Control(turn_ms=10_000, nodes=64))
    record = play_game(spec, players)
    assert record.reason in ("five", "full")


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", WITHOUT_NETWORK)
def test_a_five_is_made_and_one_is_stopped(name: str) -> None:
    player = make_own(name, 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=10_000, nodes=400))
    row = [(3, 3), (2, 3), (4, 3), (5, 9), (5, 3), (9, 9), (6, 3)]
    assert player.choose(row, 1 << 30) == (7, 3)
    assert player.choose([*row, (12, 12)], 1 << 30) == (7, 3)
    player.close()


def test_the_turn_is_used_but_not_exceeded() -> None:
    player = make_own("s3", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=300))
    started = time.monotonic()
    player.choose([(7, 7), (8, 8)], 1 << 30)
    assert 0.2 < time.monotonic() - started < 30


def test_a_player_follows_a_game_that_is_not_its_own() -> None:
    player = make_own("s3", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=10_000, nodes=50))
    player.choose([(7, 7)], 1 << 30)
    cell = player.choose([(0, 0), (1, 1), (2, 2)], 1 << 30)
    assert cell not in [(0, 0), (1, 1), (2, 2)]


def test_final_moves_follow_each_systems_rule() -> None:
    often = Child(1, 100, 0.55, 0.5, 0.3, None)
    good = Child(2, 60, 0.80, 0.5, 0.2, None)
    rare = Child(3, 5, 0.95, 0.5, 0.1, None)
    never = Child(4, 0, 0.0, 0.5, 0.4, None)
    children = [often, good, rare, never]
    assert most_visited(children) is often
    assert best_mean(children) is rare
    assert s4_move(children) is good
    # S4 counts +1, 0 and -1: more than half of that is a win rate of three quarters.
    assert s4_move([often, Child(2, 60, 0.70, 0.5, 0.2, None), rare]) is often


def test_s0_tries_five_moves_however_sharp_its_policy_is() -> None:
    player = make_own("s0", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=10_000, nodes=64))
    player.choose([(3, 3), (2, 3), (4, 3), (5, 9), (5, 3), (9, 9), (6, 3)], 1 << 30)
    assert sum(visits > 0 for _, visits, *_ in player._searcher.children()) == 5


def test_s2_visits_every_root_move_twice() -> None:
    player = make_own("s2", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=10_000, nodes=400))
    player.choose([(7, 7), (8, 8)], 1 << 30)
    children = player._searcher.children()
    assert len(children) > 10
    assert min(visits for _, visits, *_ in children) >= 2


@pytest.mark.usefixtures("no_network")
def test_s4_spreads_its_visits_by_the_policy_while_nothing_is_decided() -> None:
    player = make_own("s4", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=10_000, nodes=300))
    player.choose([(7, 7), (8, 8)], 1 << 30)
    visited = sorted(((prior, visits) for _, visits, _, _, prior, *_ in player._searcher.children()), reverse=True)
    assert sum(visits > 0 for _, visits in visited) >= 5
    assert max(visits for _, visits in visited) < 150


@pytest.mark.usefixtures("no_network")
def test_s3_gives_every_move_an_edge() -> None:
    player = make_own("s3", 1)
    player.new_game(15, 15, FREESTYLE, Control(turn_ms=10_000, nodes=64))
    player.choose([(7, 7), (8, 8), (7, 8), (8, 7)], 1 << 30)
    assert len(player._searcher.children()) == len(player.candidates())


def test_every_recipe_is_understood_by_the_search() -> None:
    for recipe in RECIPES.values():
        core.Searcher(8 << 20, **recipe.tunables)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        make_own("nobody", 1)


@pytest.mark.usefixtures("no_network")
def test_a_network_player_without_network_says_why() -> None:
    with pytest.raises(PlayerFailure, match="no file"):
        make_own("s1", 1).new_game(15, 15, FREESTYLE, Control())


def test_network_players_play_with_the_network_in_the_tree() -> None:
    players = {BLACK: make_own("s1", 1), WHITE: make_own("s2", 2)}
    spec = GameSpec("g", "p", "a", "b", FREESTYLE, 9, 9, (), Control(turn_ms=10_000, nodes=32), draw_after=20)
    assert play_game(spec, players).reason in ("five", "draw-after")
