"""The network of a thinker: loaded once, other rules only change its tables."""

import pytest

import brain.network
from brain.network import Network

PLENTY = 1 << 30


class FakeEvaluator:
    loads = 0

    def __init__(self) -> None:
        self.rules: list[int] = []

    @classmethod
    def load(cls, rule: int, path: object) -> "FakeEvaluator":
        cls.loads += 1
        fake = cls()
        fake.use_rule(rule)
        return fake

    def use_rule(self, rule: int) -> None:
        self.rules.append(rule)


def loaded(network: Network, rule: int) -> object:
    network.load(rule, PLENTY)
    assert network._loading is not None
    network._loading.join()
    return network.evaluator(rule)


def test_another_rule_changes_the_tables_and_opens_no_file_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brain.network, "CoreEvaluator", FakeEvaluator)
    monkeypatch.setattr(FakeEvaluator, "loads", 0)
    network = Network(lambda text: pytest.fail(text))
    first = loaded(network, 0)
    second = loaded(network, 4)
    assert isinstance(second, FakeEvaluator) and second is first
    assert second.rules == [0, 4] and FakeEvaluator.loads == 1
    assert network.evaluator(0) is None, "the tables are those of another rule now"


def test_no_room_is_said_once_and_room_made_later_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brain.network, "CoreEvaluator", FakeEvaluator)
    said: list[str] = []
    network = Network(said.append)
    for _ in range(2):
        network.load(0, 10 << 20)
    assert len(said) == 1 and "max_memory" in said[0]
    assert network.evaluator(0) is None and network.bytes == 0
    assert loaded(network, 0) is not None and len(said) == 1
