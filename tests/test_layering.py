"""Who may import whom, compared with the import and cimport lines; and that the lean engine needs no numpy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"brain", "cython_core", "bench", "training", "tests", "protocol_tests", "weights"}

MAY_IMPORT = {
    "__init__": set(),
    "__main__": {"loop", "engine", "thinker", "network", "selftest"},
    "selftest": {"engine", "core_evaluator", "evaluator", "weights", "cython_core"},
    "loop": {"protocol", "engine", "pipe", "worker"},
    "pipe": set(),
    "worker": {"engine"},
    "engine": {"settings", "clock", "opening", "choice", "thinker", "cython_core"},
    "opening": {"cython_core"},
    "thinker": {"choice", "network", "weights", "cython_core"},
    "choice": {"cython_core"},
    "network": {"core_evaluator", "evaluator", "weights"},
    "core_evaluator": {"onnx_file", "weights", "cython_core"},
    "evaluator": {"weights"},
    "onnx_file": {"weights"},
    "weights": set(),
    "clock": {"settings"},
    "protocol": set(),
    "settings": set(),
}
"""The modules of brain."""

MAY_NAME = {"thinker": {"clock"}, "opening": {"clock", "thinker"}, "evaluator": {"cython_core"}}
"""Records that a module takes as arguments: named in its signatures, never imported at run time."""

THIRD_PARTY = {"evaluator": {"numpy", "onnxruntime"}, "selftest": {"numpy"}}

FORBIDDEN = {
    "brain": {"bench", "training", "tests", "protocol_tests"},
    "bench": {"tests", "protocol_tests", "training"},
    "training": {"tests", "protocol_tests"},
    "protocol_tests": OURS - {"protocol_tests"},
}


def imports_of(path: Path) -> tuple[set[str], set[str]]:
    """Dotted names imported at run time, and those imported for type checking only."""
    at_run_time, for_types = set(), set()

    def walk(node: ast.AST, names: set[str]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                walk(child, for_types)
            elif isinstance(child, ast.Import):
                names.update(alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: relative import"
                names.update(f"{child.module}.{alias.name}" for alias in child.names)
            else:
                walk(child, names)

    walk(ast.parse(path.read_text(encoding="utf-8")), at_run_time)
    return at_run_time, for_types


def own(names: set[str]) -> set[str]:
    """Modules of ours: `brain.clock.Limits` is `clock`, `cython_core.Board` is `cython_core`; `brain` is free."""
    found = set()
    for name in names:
        first, *rest = name.split(".")
        if first == "brain" and rest and (ROOT / "brain" / f"{rest[0]}.py").exists():
            found.add(rest[0])
        elif first in OURS - {"brain"}:
            found.add(first)
    return found


def outside(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names} - OURS - set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", sorted((ROOT / "brain").glob("*.py")), ids=lambda path: path.stem)
def test_brain_modules_import_what_the_table_says(path: Path) -> None:
    at_run_time, for_types = imports_of(path)
    assert path.stem in MAY_IMPORT, "a new module needs a line in the table"
    assert own(at_run_time) <= MAY_IMPORT[path.stem]
    assert own(for_types) <= MAY_IMPORT[path.stem] | MAY_NAME.get(path.stem, set())
    assert outside(at_run_time | for_types) <= THIRD_PARTY.get(path.stem, set())


@pytest.mark.parametrize("folder", sorted(FORBIDDEN))
def test_folders_do_not_reach_up(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        at_run_time, for_types = imports_of(path)
        assert not own(at_run_time | for_types) & FORBIDDEN[folder], path


def test_protocol_tests_need_nothing_but_the_standard_library_and_pytest() -> None:
    for path in (ROOT / "protocol_tests").rglob("*.py"):
        assert outside(set.union(*imports_of(path))) <= {"pytest"}, path


def test_the_core_knows_nothing_above_it() -> None:
    for path in sorted((ROOT / "cython_core").glob("*.p*")):
        if path.suffix not in (".py", ".pyx", ".pxd", ".pyi"):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            found = re.match(r"\s*(?:from|import|cimport)\s+([A-Za-z_]+)", line)
            if found:
                assert found[1] not in (OURS - {"cython_core"}) | {"numpy", "onnxruntime", "torch"}, f"{path}: {line}"


def test_core_and_brain_import_without_numpy() -> None:
    modules = [f"brain.{path.stem}" for path in (ROOT / "brain").glob("*.py") if path.stem != "evaluator"]
    modules += [f"cython_core.{path.stem}" for path in (ROOT / "cython_core").glob("*.pyx")]
    script = "import sys; sys.modules.update(numpy=None, onnxruntime=None)\n"
    script += "".join(f"import {name}\n" for name in modules)
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
