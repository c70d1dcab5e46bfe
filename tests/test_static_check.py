"""`make lint` refuses what could run a stranger's code: tried here, and what it does not know is looked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("brain", "renga", "bench", "training", "freeze", "protocol_tests", "tests")
UNSAFE = {
    "exec(data)": "S102", "eval(data)": "S307", "pickle.loads(data)": "S301", "pickle.load(data)": "S301",
    "shelve.open(data)": "S301", "marshal.loads(data)": "S302", "yaml.load(data)": "S506",
    "subprocess.run(data, shell=True)": "S602", "subprocess.getoutput(data)": "S605", "os.system(data)": "S605",
    "os.popen(data)": "S605", "tarfile.open(data).extractall()": "S202",
}  # fmt: skip


def test_the_linter_names_every_unsafe_call() -> None:
    pytest.importorskip("ruff")
    modules = "marshal", "os", "pickle", "shelve", "subprocess", "tarfile", "yaml"
    lines = [f"import {module}" for module in modules] + ["def load(data):", *(f"    {call}" for call in UNSAFE)]
    options = ["--output-format", "concise", "--stdin-filename", "brain/stranger.py", "-"]
    run = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *options], input="\n".join(lines) + "\n", cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    for number, (call, rule) in enumerate(UNSAFE.items(), len(modules) + 2):
        found = [line for line in run.stdout.splitlines() if line.startswith(f"brain/stranger.py:{number}:")]
        assert any(f" {rule} " in line for line in found), (call, found)


def unsafe_loads(source: str) -> Iterator[str]:
    """Calls that unpickle although their name does not say so: PyTorch's and NumPy's."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        options = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        if ast.unparse(node.func) == "torch.load" and options.get("weights_only") != "True":
            yield ast.unparse(node)
        if options.get("allow_pickle", "False") != "False":
            yield ast.unparse(node)


def test_weights_and_arrays_are_loaded_without_pickle() -> None:
    tried = "torch.load(path)\nnumpy.load(path, allow_pickle=True)\ntorch.load(path, weights_only=True)"
    assert len(list(unsafe_loads(tried))) == 2
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            assert not list(unsafe_loads(path.read_text(encoding="utf-8"))), path
