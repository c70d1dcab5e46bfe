"""The network of a thinker: loaded once, other rules only change its tables."""

import sys
from pathlib import Path

import pytest

import brain.network
from brain.network import Network, cuda_offered

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


def test_the_gpu_flavour_is_seen_without_importing_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "onnxruntime" / "capi").mkdir(parents=True)
    (tmp_path / "onnxruntime" / "__init__.py").write_text("raise RuntimeError('imported')")
    for name in [name for name in sys.modules if name.partition(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    assert not cuda_offered()
    (tmp_path / "onnxruntime" / "capi" / "libonnxruntime_providers_cuda.so").touch()
    assert cuda_offered()


def test_a_missing_onnx_runtime_is_mentioned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brain.network, "CoreEvaluator", FakeEvaluator)
    monkeypatch.setattr(brain.network, "has_library", lambda: False)
    monkeypatch.setattr(brain.network, "cuda_offered", lambda: False)
    said: list[str] = []
    network = Network(said.append)
    for rule in (0, 4, 0):
        assert loaded(network, rule) is not None
    assert len(said) == 1 and "ONNX Runtime is not installed" in said[0]
