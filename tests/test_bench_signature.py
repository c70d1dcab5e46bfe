"""The stored fingerprint is the present behaviour: a change must be a conscious edit of signature.txt."""

from math import nan

from bench import network_signature
from bench.signature import compute, fold, read_stored


def test_the_signature_in_the_tree_is_the_behaviour_of_the_core() -> None:
    assert compute() == read_stored(), "run `python -m bench signature --write` if the change is meant"


def test_the_fold_depends_on_order_and_on_every_bit() -> None:
    assert fold(iter([1, 2])) != fold(iter([2, 1]))
    assert fold(iter([1 << 63])) != fold(iter([0]))
    assert fold(iter([-1])) != fold(iter([1]))


def test_the_signature_with_the_network_is_what_the_shipped_network_says() -> None:
    found = network_signature.compute()
    assert len(found) == 20
    assert network_signature.differences(found, network_signature.read_stored()) == []


def test_a_network_that_says_something_else_is_told_by_position_and_part() -> None:
    stored = {"renju 7x7": {"value": [0.5, 0.1, 0.4], "policy": [1.0], "search": [0.5, 0.2]}}

    def changed(part: str, numbers: list[float]) -> list[str]:
        return network_signature.differences({"renju 7x7": {**stored["renju 7x7"], part: numbers}}, stored)

    assert changed("value", [0.5005, 0.0995, 0.4]) == []
    for part, numbers in (("value", [0.498, 0.102, 0.4]), ("policy", [nan]), ("search", [0.5]), ("search", [0.5, 0.3])):
        (line,) = changed(part, numbers)
        assert line.startswith(f"renju 7x7: {part} ")
    assert network_signature.differences({}, stored) == ["renju 7x7: only in one of the two"]
