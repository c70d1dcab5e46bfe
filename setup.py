"""Builds the extension modules of cython_core; everything else is in pyproject.toml.

RENGA_CHECKED=1 builds with bounds checks, C assertions and the address and undefined-behaviour
sanitizers, for `make test-checked`. Both kinds are compiled for x86-64-v2: faster instruction sets are
chosen at run time, so that one binary starts everywhere. The compiler is GCC or clang, on Windows too.
"""

import os
import platform
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

CHECKED = os.environ.get("RENGA_CHECKED") == "1"
HERE = Path(__file__).parent

# Integer behaviour must not depend on the compiler's mood: no fast-math, no -march=native (see bench signature).
# Nor on its instructions: a product and a sum joined in one would be rounded differently where AVX2 is.
# No debug information, which CPython's own flags ask for: writing it takes a fifth of the compiler's time.
compile_args = ["-O3", "-g0", "-fno-strict-aliasing", "-ffp-contract=off", "-Wno-unused-function"]
# Gradients are another matter. Vectors that are passed to functions are so only on paper: all of those are inlined.
LEARNING_ARGS = ["-ffp-contract=fast", "-Wno-psabi"]
link_args: list[str] = []
if platform.machine() in ("x86_64", "AMD64"):
    compile_args.append("-march=x86-64-v2")
if CHECKED:
    compile_args += ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    link_args += ["-fsanitize=address,undefined"]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": True,
    "embedsignature": True,
}

extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        extra_compile_args=[*compile_args, *LEARNING_ARGS] if "learning" in source.parts else compile_args,
        extra_link_args=link_args,
        define_macros=[("RENGA_CHECKED", "1")] if CHECKED else [],
    )
    for source in sorted(path.relative_to(HERE) for path in (HERE / "cython_core").rglob("*.pyx"))
]

setup(
    ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, force=CHECKED, quiet=True),
    # The compiler is most of a first set-up: as many at a time as there are processors.
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
