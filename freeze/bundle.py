"""Calls PyInstaller with what belongs in an executable and what must stay out."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from brain import __version__
from freeze import face
from freeze.fetch import OWN_WHEELS, WHEELS, WINDOWS_WHEELS, fetch, run, say, unpacked
from freeze.plan import EPOCH, NAME, PEOPLE, Plan

SPEC = Path(__file__).with_name("renga.spec")
FOR_SPEC = ("renga.spec", "launch.py", "launch_renga.py")
"""What PyInstaller reads, copied beside the sources."""

# fmt: off
# Standard modules that come along through somebody's optional import and that no running engine reaches.
EXCLUDE = (
    "_bz2", "_codecs_cn", "_codecs_hk", "_codecs_iso2022", "_codecs_jp", "_codecs_kr", "_codecs_tw",
    "_decimal", "_hashlib", "_lzma", "_ssl", "_tkinter", "asyncio", "bz2", "curses", "distutils", "doctest",
    "email", "ensurepip", "ftplib", "html", "http", "lzma", "multiprocessing", "pdb", "pydoc", "pydoc_data",
    "readline", "setuptools", "ssl", "stringprep", "tkinter", "unicodedata", "unittest", "xml",
    "xmlrpc",
)
# Parts of the network libraries that evaluation does without, and what they would pull in.
EXCLUDE_FULL = (
    "flatbuffers", "google", "hypothesis", "matplotlib", "ml_dtypes", "numpy.f2py", "numpy.testing",
    "numpy.tests", "onnx", "onnxruntime.backend", "onnxruntime.datasets", "onnxruntime.quantization",
    "onnxruntime.tools", "onnxruntime.transformers", "pandas", "psutil", "pytest", "scipy", "torch",
)
# The database of positions is left to the full packages: SQLite alone is half a megabyte of a zip.
EXCLUDE_LEAN = ("_sqlite3", "flatbuffers", "google", "numpy", "onnx", "onnxruntime", "psutil", "sqlite3", "torch")
# What the server of the board needs of EXCLUDE (ssl is plain_ssl.py), and what would come along with it for nothing.
KEEP_FOR_BOARD = (
    "asyncio", "email", "html", "http", "multiprocessing", "ssl", "stringprep", "unicodedata",
)
EXCLUDE_BOARD = (
    "colorama", "httptools", "httpx", "python_multipart", "trio", "uvloop", "watchfiles", "wsproto", "yaml",
)
BOARD_LIBRARIES = ("anyio", "click", "h11", "idna", "starlette", "typing_extensions", "uvicorn", "websockets")
# Named in texts only, which PyInstaller does not follow.
BOARD_MODULES = (
    "anyio._backends._asyncio", "uvicorn.lifespan.on", "uvicorn.loops.asyncio", "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto", "uvicorn.protocols.http.h11_impl", "uvicorn.protocols.websockets.auto",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)
# Files by pattern. ONNX Runtime comes twice, as a library of its own and inside its Python module; the
# module is the one in use.
DROP = (
    "onnxruntime/capi/onnxruntime.dll", "onnxruntime/capi/libonnxruntime.so*", "*.dist-info/*", "*.dist-info/*/*",
    "numpy/random/*", "numpy/_core/_simd.*", "numpy/_core/_*_tests.*", "ucrtbase.dll", "api-ms-win-*.dll",
)
# fmt: on


def libraries(plan: Plan) -> list[str]:
    """The foreign packages in the bundle, whose licences go along."""
    if plan.flavour == "lean":
        return []
    network = ["numpy", "onnxruntime-gpu" if plan.flavour == "gpu" else "onnxruntime"]
    return [*network, *BOARD_LIBRARIES] if plan.for_people else network


def settings(plan: Plan, stage: Path, paths: list[str]) -> dict[str, object]:
    """What renga.spec needs to know, as bundle.json stores it."""
    modules = _modules(stage, "cython_core", "*.pyx")
    lean = plan.flavour == "lean"
    if not lean:
        modules += ["numpy", "onnxruntime"]
    exclude = [*EXCLUDE, *(EXCLUDE_LEAN if lean else EXCLUDE_FULL)]
    programs = [{"name": NAME, "script": "launch.py", "modules": modules, "exclude": exclude, "paths": []}]
    if plan.for_people:
        more = [*modules, *_modules(stage, PEOPLE, "*.py"), *BOARD_MODULES]
        less = [name for name in [*exclude, *EXCLUDE_BOARD] if name not in KEEP_FOR_BOARD]
        programs.append(
            {"name": PEOPLE, "script": "launch_renga.py", "modules": more, "exclude": less, "paths": ["plain"]}
        )
    return {
        "name": NAME,
        "programs": programs,
        "page": plan.for_people is not None,
        "onefile": plan.onefile,
        "libraries": libraries(plan),
        "drop": DROP,
        "paths": paths,
        # The Windows modules are stripped by their linker already.
        "strip": ["libpython*", "cython_core/*", "cython_core/*/*"] if plan.target == "linux" else [],
    }


def _modules(stage: Path, folder: str, pattern: str) -> list[str]:
    """The modules below a folder of the stage, by their full names."""
    sources = sorted(source.relative_to(stage) for source in (stage / folder).rglob(pattern))
    return [".".join(source.with_suffix("").parts).removesuffix(".__init__") for source in sources]


def freeze(plan: Plan, stage: Path, python: list[str], paths: list[str]) -> Path:
    """Freezes the compiled stage with the given Python and returns the executable, in its place under dist.

    `python` is the command that starts it (Wine and python.exe for Windows); `paths` are folders searched for
    modules before site-packages, as that Python spells them.
    """
    for name in FOR_SPEC:
        shutil.copy2(SPEC.with_name(name), stage / name)
    (stage / "plain").mkdir(exist_ok=True)
    shutil.copy2(SPEC.with_name("plain_ssl.py"), stage / "plain" / "ssl.py")
    face.write(stage, __version__, (NAME, PEOPLE))
    (stage / "bundle.json").write_text(json.dumps(settings(plan, stage, paths), indent=1))
    say(f"freezing {plan.target} {plan.flavour} {'onefile' if plan.onefile else 'onedir'}")
    # Relative paths only: they mean the same under Wine.
    work = os.path.relpath(plan.work, stage)
    env = dict(os.environ) | {
        # Fixed hashing and time stamps: the same sources give the same bytes.
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": str(EPOCH),
        # Else its cache would be in the user's home.
        "PYINSTALLER_CONFIG_DIR": f"{work}/cache",
    }
    if not plan.cross:  # the cross-build's own Python has the pinned packages already
        env["PYTHONPATH"] = str(unpacked(fetch(plan.target, plan.cache, OWN_WHEELS), plan.cache))
    options = ["--noconfirm", "--clean", "--log-level", "WARN", "--workpath", work, "--distpath", f"{work}/out"]
    run([*python, "-m", "PyInstaller", *options, SPEC.name], "PyInstaller", cwd=stage, env=env)
    product = plan.work / "out" / (NAME + (plan.suffix if plan.onefile else ""))
    return place(product, plan)


def overlay(plan: Plan) -> list[str]:
    """Folders of modules that go before those installed: onnxruntime-gpu in the gpu flavour, the board's server."""
    wheels = []
    if plan.flavour == "gpu":
        wheels.append(fetch("gpu", plan.cache, WINDOWS_WHEELS if plan.cross else OWN_WHEELS))
    if plan.for_people:
        wheels.append(fetch("board", plan.cache, WHEELS))
    folders = [unpacked(folder, plan.cache) for folder in wheels]
    # Wine shows the whole file system as drive Z:.
    return [f"Z:{folder}" if plan.cross else str(folder) for folder in folders]


def place(product: Path, plan: Plan) -> Path:
    """Moves the product (file or folder) to its shelf in dist, replacing an earlier one of the same name."""
    target = plan.shelf / product.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        shutil.rmtree(target)
    elif target.exists():
        target.unlink()
    shutil.move(product, target)
    return plan.executable
