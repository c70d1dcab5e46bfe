"""Freezes Renga into a standalone executable: `python build_exe.py --help`, docs/executables.md.

The work is in freeze/; this is its command line. Nothing is written outside build/, dist/ and the cache.
"""

from __future__ import annotations

import sys
import time

from freeze import bundle, chain, closure, fetch, parcel, stage, trial
from freeze.plan import BuildError, Plan, parse


def build(plan: Plan) -> None:
    """Compiles, freezes, packs and tries out one executable."""
    began = time.monotonic()
    sources = stage.prepare(plan)
    if plan.cross:
        tools = chain.prepare(plan.cache)
        stage.compile_for_windows(sources, tools.zig, tools.python, chain.TAG)
        python, start = tools.interpreter, tools.start
    else:
        bundle.need_pyinstaller()
        stage.compile_here(sources)
        python, start = [sys.executable], []
    executable = bundle.freeze(plan, sources, python, bundle.overlay(plan))
    if plan.target == "windows" and not plan.onefile:
        closure.check(executable.parent)
    trial.first_words([*start, str(executable)])
    if plan.zip:
        parcel.pack(executable, plan.archive)
        parcel.check(plan.archive, parcel.LIMITS[plan.flavour])
    if plan.test:
        trial.run_all(plan, start)
    fetch.say(f"done in {time.monotonic() - began:.0f} s: {executable} ({parcel.megabytes(plan)})")


def main() -> int:
    try:
        build(parse(sys.argv[1:]))
    except BuildError as error:
        print(f"build_exe: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
