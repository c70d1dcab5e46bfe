"""Who may import whom, compared with the import and cimport lines; and that the lean engine needs no numpy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"renga", "brain", "cython_core", "bench", "training", "tests", "protocol_tests", "weights"}

MAY_IMPORT = {
    "__init__": set(),
    "__main__": {"loop", "engine", "thinker", "network", "book", "selftest"},
    "selftest": {
        "book", "book_file", "engine", "clock", "evaluator", "network", "onnx_evaluator", "parity", "weights",
        "cython_core",
    },
    "loop": {"commands", "protocol", "yixin", "display", "engine", "clock", "pipe", "background", "records"},
    "commands": {"desk", "remarks", "tree_file", "protocol", "yixin"},
    "remarks": {"display", "protocol", "cython_core"},
    "tree_file": {"file_names", "protocol", "cython_core"},
    "desk": {
        "file_names", "protocol", "yixin", "tokens", "score", "knowledge", "database_text", "renlib", "cython_core",
    },
    "pipe": {"background"},
    "background": set(),
    "display": {"protocol", "notation", "records", "score", "cython_core"},
    "engine": {
        "settings", "clock", "deciding", "opening", "soosorv", "blocks", "library", "choice", "thinker", "records",
        "score", "cython_core",
    },
    "deciding": {
        "choice", "balance", "opening", "soosorv", "allowed", "defending", "appraiser", "appraisal", "records",
    },
    "allowed": {"choice", "appraisal", "symmetry", "cython_core"},
    "defending": {"choice", "appraisal", "symmetry", "cython_core"},
    "appraiser": {"appraisal", "records", "cython_core"},
    "blocks": {"cython_core"},
    "book": {"book_file", "position_key", "symmetry", "weights", "records", "cython_core"},
    "book_file": {"notation", "position_key", "records", "cython_core"},
    "library": {"database", "knowledge", "position_key", "records", "cython_core"},
    "opening": {"records", "cython_core"},
    "plan": {"choice", "cython_core"},
    "thinker": {"choice", "clock", "evaluator", "network", "plan", "weights", "records", "cython_core"},
    "balance": {"choice", "appraisal", "symmetry", "cython_core"},
    "soosorv": {"appraisal", "symmetry", "cython_core"},
    "appraisal": {"choice", "cython_core"},
    "notation": {"cython_core"},
    "database": {"choice", "knowledge", "position_key", "cython_core"},
    "renlib": {"database", "knowledge", "position_key", "cython_core"},
    "database_text": {"database", "knowledge", "notation", "position_key", "cython_core"},
    "knowledge": {"position_key"},
    "position_key": {"symmetry", "cython_core"},
    "symmetry": {"choice", "cython_core"},
    "network": {"core_evaluator", "evaluator", "onnx_evaluator", "weights", "cython_core"},
    "core_evaluator": {"evaluator", "onnx_file", "weights", "cython_core"},
    "onnx_evaluator": {"evaluator", "onnx_file", "onnx_part", "weights", "cython_core"},
    "onnx_part": {"onnx_file"},
    "parity": {"evaluator", "cython_core"},
    "evaluator": {"cython_core"},
    "onnx_file": {"weights"},
    "weights": set(),
    "clock": {"choice", "settings"},
    "choice": {"records", "cython_core"},
    "protocol": {"yixin", "tokens"},
    "yixin": {"tokens"},
    "tokens": set(),
    "file_names": set(),
    "score": set(),
    "settings": {"notation", "records", "cython_core"},
    "records": {"cython_core"},
}
"""The modules of brain."""

MAY_NAME = {
    "records": {"clock"}, "opening": {"clock", "thinker"}, "appraiser": {"clock", "thinker"},
    "deciding": {"choice", "clock", "thinker"}, "library": {"database"}, "desk": {"database", "engine"},
    "commands": {"engine", "records"}, "engine": {"book"}, "remarks": {"engine"}, "tree_file": {"engine"},
}  # fmt: skip
"""Records that a module takes as arguments: named in its signatures, never imported at run time."""

THIRD_PARTY = {"onnx_evaluator": {"numpy", "onnxruntime"}, "selftest": {"numpy"}}

PACKAGE = (
    "verify", "certificate", "prove", "notation", "board", "threats", "records", "search", "proof_graph", "proof_state",
    "proof_search", "solving", "game", "sgf_text", "sgf", "psq", "files", "levels", "stream", "engine", "__init__",
    "proving_brain", "__main__",
)  # fmt: skip
"""The modules of renga, lowest first."""

FORBIDDEN = {
    "brain": {"renga", "bench", "training", "tests", "protocol_tests"},
    "renga": {"bench", "training", "tests", "protocol_tests"},
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


def test_the_package_is_built_from_below() -> None:
    """Each module of renga imports only modules above it in this list; the commands and the board may import all."""
    places = {name: place for place, name in enumerate(PACKAGE)}
    for path in sorted((ROOT / "renga").glob("*.py")):
        at_run_time, for_types = imports_of(path)
        assert path.stem in places, f"{path}: a new module needs a place in the list"
        for name in at_run_time:
            first, *rest = name.split(".")
            if first == "renga" and rest:
                imported = rest[0] if (ROOT / "renga" / f"{rest[0]}.py").exists() else "__init__"
                assert places[imported] < places[path.stem], f"{path}: imports {name}"
        assert not outside(at_run_time | for_types), path
    for path in (ROOT / "renga" / "commands").glob("*.py"):
        assert not outside(set.union(*imports_of(path))), path


def test_the_board_uses_nothing_but_renga_and_its_two_libraries() -> None:
    for path in (ROOT / "renga" / "web").glob("*.py"):
        names = set.union(*imports_of(path))
        assert not own(names) - {"renga"}, path
        assert outside(names) <= {"starlette", "uvicorn"}, path


def test_protocol_tests_need_nothing_but_the_standard_library_and_pytest() -> None:
    for path in (ROOT / "protocol_tests").rglob("*.py"):
        assert outside(set.union(*imports_of(path))) <= {"pytest"}, path


ROOMS = ("rules", "threats", "network", "search", "learning")
"""Of the core, lowest first; its door and its probes are above them all."""


def core_imports() -> Iterator[tuple[Path, str]]:
    """Every source of the core with each module it imports or cimports."""
    for path in sorted((ROOT / "cython_core").rglob("*.p*")):
        if path.suffix in (".py", ".pyx", ".pxd", ".pyi"):
            for line in path.read_text(encoding="utf-8").splitlines():
                found = re.match(r"\s*(?:from|import|cimport)\s+([A-Za-z_.]+)", line)
                if found:
                    yield path, found[1]


def test_the_core_knows_nothing_above_it() -> None:
    for path, name in core_imports():
        assert name.split(".")[0] not in (OURS - {"cython_core"}) | {"numpy", "onnxruntime", "torch"}, path


def test_the_rooms_of_the_core_know_nothing_above_them() -> None:
    seen = set()
    for path, name in core_imports():
        first, *rest = name.split(".")
        room = path.parent.name
        if first == "cython_core" and room in ROOMS:
            assert rest and rest[0] in ROOMS[: ROOMS.index(room) + 1], f"{path} imports {name}"
            seen.add((room, rest[0]))
    assert {("rules", "rules"), ("threats", "rules"), ("network", "rules"), ("search", "threats")} <= seen
    assert {path.parent.name for path in (ROOT / "cython_core").rglob("*.pyx")} == {*ROOMS, "cython_core"}


def test_nothing_in_the_core_is_imported_in_a_circle() -> None:
    needs: dict[str, set[str]] = {}
    for path, name in core_imports():
        if path.suffix in (".pyx", ".pxd") and name.startswith("cython_core."):
            own_name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            needs.setdefault(own_name, set()).update({name} - {own_name})
    assert len(tuple(TopologicalSorter(needs).static_order())) > 20


def test_core_and_brain_import_without_numpy() -> None:
    modules = [f"brain.{path.stem}" for path in (ROOT / "brain").glob("*.py") if path.stem != "onnx_evaluator"]
    core = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "cython_core").rglob("*.pyx")]
    modules += [".".join(path.parts) for path in core]
    script = "import sys; sys.modules.update(numpy=None, onnxruntime=None)\n"
    script += "".join(f"import {name}\n" for name in modules)
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
