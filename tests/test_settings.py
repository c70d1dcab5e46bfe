"""INFO keys: each is read once, bad values change nothing."""

from dataclasses import replace

import pytest

from brain.notation import Notation
from brain.settings import DEFAULT_MEMORY, KEYS, UNLIMITED_MS, Settings, informed

DEFAULT = Settings()


def told(*lines: str, start: Settings = DEFAULT) -> Settings:
    for line in lines:
        key, _, value = line.partition(" ")
        start = informed(start, key, value)
    return start


def test_every_key_sets_its_own_field() -> None:
    words = {"rule": "4", "coordinates": "Numbers"}
    for key, (field, _) in KEYS.items():
        after = told(f"{key} {words.get(key, '7')}")
        assert getattr(after, field) in (7, 4, "numbers")
        unchanged = [name for name in Settings.__slots__ if getattr(after, name) == getattr(Settings(), name)]
        assert len(unchanged) == len(Settings.__slots__) - 1


@pytest.mark.parametrize("line", ["timeout_turn abc", "timeout_turn", "timeout_turn -1", "rule 64", "rule -1",
                                  "rule 12", "rule 4x", "rule 0_1", "folder 7", "coordinates 7",
                                  "max_memory -7", "thread_num 0", "foo bar", "evaluate 3,4", "time_left x",
                                  "max_node 1e9", f"timeout_turn {'9' * 5000}"])  # fmt: skip
def test_unreadable_values_and_unknown_keys_change_nothing(line: str) -> None:
    assert told(line) == Settings()


def test_keys_are_read_in_any_case() -> None:
    assert told("TIMEOUT_TURN 200").turn_ms == 200


def test_no_memory_limit_means_what_gomocup_grants() -> None:
    assert told("max_memory 0").memory == DEFAULT_MEMORY == Settings().memory
    assert told("max_memory 18446744073709551616").memory == 2**64


def test_an_endless_turn_is_no_longer_than_a_lock_can_wait() -> None:
    assert told(f"timeout_turn {2**65}").turn_ms == UNLIMITED_MS


def test_time_left_may_be_negative() -> None:
    assert told("time_left -5000").left_ms == -5000


def test_unlimited_nodes_and_depth() -> None:
    assert told("max_node -1", "max_depth -1").max_nodes == 0


@pytest.mark.parametrize(
    ("mask", "rule"), [(0, 0), (1, 1), (2, 0), (3, 1), (4, 4), (5, 4), (6, 4), (8, 8), (9, 9), (10, 8), (11, 9)]
)
def test_continuous_games_play_on_by_the_same_rule(mask: int, rule: int) -> None:
    assert told(f"rule {mask}").rule == rule


def test_rule_two_is_renju_for_the_yixin_family() -> None:
    yixin = Settings(yixin=True)
    assert told("rule 2", start=yixin).rule == 4
    assert told("rule 1", start=yixin).rule == 1



def test_people_read_the_coordinates_of_their_manager() -> None:
    assert DEFAULT.notation == Notation()
    assert told("game_type 0").notation == Notation(numbers=True)
    assert told("game_type 0", "coordinates letters").notation == Notation()
    assert told("coordinates numbers").notation == Notation(numbers=True)
    # Yixin's family shows letters, whatever else it says; its board means row,column.
    assert replace(told("game_type 0"), yixin=True).notation == Notation()
    assert replace(DEFAULT, yixin=True, yixin_board=True).notation == Notation(transposed=True)
