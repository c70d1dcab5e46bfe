"""The network of a thinker: loaded once, other rules only change its tables."""

import itertools
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from networks import CORE_BLOCKS, write_network

import brain.network
from brain.__main__ import _loop
from brain.core_evaluator import CoreEvaluator
from brain.network import LIBRARY_BYTES, TABLE_BYTES, Network, cuda_offered
from brain.onnx_evaluator import OnnxEvaluator
from brain.weights import WeightsError

PLENTY = 1 << 30


class FakeEvaluator:
    loads = 0
    provider = "core"
    bytes = 5

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


def test_a_search_that_never_comes_back_leaves_the_network_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a starved machine every move may lose its search: a network each would fill memory and cores."""
    monkeypatch.setattr(brain.network, "CoreEvaluator", FakeEvaluator)
    monkeypatch.setattr(FakeEvaluator, "loads", 0)
    engine = _loop(["--provider", "core"], None).engine
    for rule, opened in ((0, 1), (4, 2)):
        for _ in range(3):
            engine.thinker._load(rule, PLENTY)
            network = engine.thinker._network
            network.wait(10)
            evaluator = network.evaluator(rule)
            engine.replace_thinker()
            assert engine.thinker._network.evaluator(rule) is evaluator is not None
        assert evaluator.rules == [rule], "the lost search may still read the tables of the rule before"
        assert FakeEvaluator.loads == opened


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


def test_a_missing_onnx_runtime_is_nobodys_concern_in_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brain.network, "CoreEvaluator", FakeEvaluator)
    monkeypatch.setattr(brain.network, "has_library", lambda: False)
    monkeypatch.setattr(brain.network, "cuda_offered", lambda: False)
    said: list[str] = []
    network = Network(said.append)
    for rule in (0, 4, 0):
        assert loaded(network, rule) is not None
    assert said == []


def test_where_cuda_does_not_work_the_core_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise WeightsError("no memory left on the device")

    monkeypatch.setattr(brain.network, "cuda_offered", lambda: True)
    monkeypatch.setattr(OnnxEvaluator, "load", fail)
    assert isinstance(loaded(Network(lambda text: pytest.fail(text)), 0), CoreEvaluator)


def test_whatever_goes_wrong_while_loading_is_said_and_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def fail(rule: int, *arguments: object) -> None:
        tried.append(rule)
        raise OSError("half of a library")

    monkeypatch.setattr(brain.network, "load_evaluator", fail)
    said: list[str] = []
    network = Network(said.append)
    for _ in range(2):
        assert loaded(network, 0) is None
    assert said == ["playing without network: half of a library"] and tried == [0] and network.bytes == 0


def test_without_room_for_a_thread_there_is_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    said: list[str] = []
    network = Network(said.append)
    for _ in range(2):
        network.load(0, PLENTY)
        assert not network.loading and network.evaluator(0) is None
    assert said == ["playing without network: can't start new thread"]


def test_another_network_and_who_computes_it_are_taken_as_told(tmp_path: Path) -> None:
    write_network(tmp_path / "mine.onnx", channels=16, hidden=16, blocks=CORE_BLOCKS)
    network = Network(lambda text: pytest.fail(text), tmp_path / "mine.onnx", "cpu")
    evaluator = loaded(network, 0)
    assert isinstance(evaluator, OnnxEvaluator) and evaluator.provider == "cpu"
    assert evaluator.path == tmp_path / "mine.onnx"
    assert network.bytes > LIBRARY_BYTES, "ONNX Runtime's memory is not the tree's"
    inside = loaded(Network(lambda text: pytest.fail(text), tmp_path / "mine.onnx"), 0)
    assert isinstance(inside, CoreEvaluator)


def test_wide_tables_are_counted_when_they_are_known(tmp_path: Path) -> None:
    write_network(tmp_path / "wide.onnx", channels=80, hidden=16, blocks=CORE_BLOCKS, step=1e-3)
    network = Network(lambda text: pytest.fail(text), tmp_path / "wide.onnx", "core")
    loaded(network, 0)
    assert TABLE_BYTES * 80 // 48 < network.bytes < TABLE_BYTES * 80 // 48 + (1 << 20)


def test_no_network_is_wanted() -> None:
    network = Network(lambda text: pytest.fail(text), wanted=False)
    network.load(0, PLENTY)
    assert not network.loading and network.evaluator(0) is None and network.bytes == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--network", "missing.onnx"], r"playing without network: network file .*missing\.onnx is missing"),
        (["--network"], r"playing without network: network \. is not an \.onnx file"),
        (["--provider", "abacus"], r"no provider 'abacus', there are auto, cuda, core, cpu: auto is taken"),
        (["--network", "off"], None),
        ([], None),
    ],
)
def test_the_command_line_chooses_and_says_what_is_wrong(options: list[str], message: str | None) -> None:
    command = [sys.executable, "-m", "brain", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as brain:
        assert brain.stdin is not None and brain.stdout is not None
        brain.stdin.write("START 15\nINFO timeout_turn 20000\nINFO max_node 20\nBOARD\n7,7,1\n8,8,2\nDONE\n")
        said = list(itertools.takewhile(lambda line: not re.fullmatch(r"\d+,\d+\n", line), brain.stdout))
        brain.stdin.write("END\n")
    about_it = [line for line in said if "network" in line or "provider" in line]
    if message is None:
        assert not about_it
    else:
        assert len(about_it) == 1 and re.fullmatch(f"MESSAGE {message}\n", about_it[0])


def test_without_memory_for_the_core_no_library_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library takes more, and fails with a page of advice instead of the reason."""
    def full(evaluator: object, rule: int) -> None:
        raise WeightsError("no memory for a line table") from MemoryError()

    monkeypatch.setattr("brain.core_evaluator.CoreEvaluator.use_rule", full)
    with pytest.raises(WeightsError, match="no memory for a line table"):
        brain.network.load_evaluator(0)


def test_a_lack_of_memory_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own error has no text."""
    def full(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(brain.network, "load_evaluator", full)
    said: list[str] = []
    assert loaded(Network(said.append), 0) is None
    assert said == ["playing without network: out of memory"]
