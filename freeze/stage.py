"""A private copy of the sources under build/, compiled there: freezing never writes beside the originals.

Each target has its own copy. Copies keep their time stamps, so an unchanged module is not compiled again.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from freeze.fetch import run, say
from freeze.plan import ROOT, Plan

# What the frozen engine is made of, and what compiles it.
FOLDERS = {
    "brain": ("*.py",),
    "renga": ("*.py", "web/static/*"),
    "cython_core": ("*.py", "*.pyx", "*.pxd", "*.h"),
    "weights": ("*.py", "*.onnx", "*.book", "*.md"),
}
LEFT_OUT = ("learning",)  # what only training runs
FILES = ("setup.py", "pyproject.toml", "README.md", "LICENSE")

# setup.py is the only place that knows the modules, their flags and Cython's directives. Stopping it before
# any command runs leaves the C files generated and the list to read.
LIST_MODULES = """
import json, setuptools
from distutils.core import run_setup
modules = run_setup("setup.py", script_args=["--quiet"], stop_after="init").ext_modules
print("MODULES " + json.dumps([[m.name, m.sources, m.extra_compile_args, m.define_macros] for m in modules]))
"""


@dataclass(frozen=True)
class Module:
    """One extension module, as setup.py declares it."""

    name: str
    sources: list[str]
    flags: list[str]
    macros: list[tuple[str, str | None]]


def prepare(plan: Plan) -> Path:
    """The stage of this plan's target, holding exactly today's sources and what was compiled from them."""
    stage = plan.build / f"{plan.target}-stage"
    wanted = {stage / name: ROOT / name for name in FILES}
    for folder, patterns in FOLDERS.items():
        for pattern in patterns:
            sources = {path.relative_to(ROOT): path for path in (ROOT / folder).rglob(pattern)}
            wanted |= {stage / name: path for name, path in sources.items() if name.parts[1] not in LEFT_OUT}
    for folder in FOLDERS:
        for path in (stage / folder).rglob("*"):
            source = path.with_name(f"{path.name.split('.')[0]}.pyx")
            made_here = path.suffix in (".c", ".so", ".pyd") and source in wanted
            if path.is_file() and path not in wanted and not made_here:
                path.unlink()
    for copy, original in wanted.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.stat().st_mtime != original.stat().st_mtime:
            shutil.copy2(original, copy)
    return stage


def compile_for_linux(stage: Path) -> None:
    """Compiles the modules for the Python that runs this, with the C compiler setup.py would use."""
    say("compiling cython_core")
    run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], "compiling cython_core", cwd=stage)


def compile_for_windows(stage: Path, zig: Path, home: Path, version: str) -> None:
    """Compiles the modules with zig's clang for the Windows Python in `home`, whose version is spelt like `311`."""
    # zig keeps the C library it builds for the target; beside zig, not in the user's home.
    own = str(zig.parent.parent / "zig-cache")
    env = dict(os.environ) | {"ZIG_GLOBAL_CACHE_DIR": own, "ZIG_LOCAL_CACHE_DIR": own}
    output = run([sys.executable, "-c", LIST_MODULES], "generating C from cython_core", cwd=stage)
    listing = next(line for line in output.splitlines() if line.startswith("MODULES "))
    for fields in json.loads(listing.removeprefix("MODULES ")):
        module = Module(*fields)
        product = stage / (module.name.replace(".", "/") + f".cp{version}-win_amd64.pyd")
        newest = max((stage / source).stat().st_mtime for source in module.sources)
        if product.exists() and product.stat().st_mtime >= newest:
            continue
        say(f"compiling {module.name} for Windows")
        command = windows_command(module, zig, home / "include", home / "libs" / f"python{version}.lib", product)
        run(command, f"compiling {module.name}", cwd=stage, env=env)
        # zig leaves an import library and debug data beside the module.
        for rest in (*product.parent.glob("*.lib"), *product.parent.glob("*.pdb")):
            rest.unlink()


def windows_command(module: Module, zig: Path, include: Path, library: Path, product: Path) -> list[str]:
    """The compiler call for one module."""
    # setup.py spells the baseline the GCC way; zig knows the same set under its own name.
    flags = ["-mcpu=x86_64_v2" if flag == "-march=x86-64-v2" else flag for flag in module.flags]
    macros = [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in module.macros]
    return [
        str(zig), "cc", "-target", "x86_64-windows-gnu", *flags, "-shared", "-s", "-DMS_WIN64", *macros,
        "-Wno-everything", f"-I{include}", *module.sources, str(library), "-o", str(product),
    ]  # fmt: skip
