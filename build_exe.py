"""Freezes Renga into a standalone executable: `python build_exe.py --help`, docs/executables.md.

The work is in freeze/; this is its command line. Nothing is written outside build/, dist/ and the cache.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from freeze import bundle, chain, closure, fetch, needs, parcel, stage, trial
from freeze.plan import BuildError, Plan, parse
from freeze.talk import TalkError


def build(plan: Plan) -> None:
    """Compiles, freezes, packs and tries out one executable."""
    began = time.monotonic()
    needs.check(plan)
    sources = stage.prepare(plan)
    if plan.cross:
        tools = chain.prepare(plan.cache)
        python, start, home, version = tools.interpreter, tools.start, tools.python, chain.VERSION
    else:
        python, start, home = [sys.executable], [], Path(sys.base_prefix)
        version = f"{sys.version_info.major}{sys.version_info.minor}"
    if plan.target == "windows":
        stage.compile_for_windows(sources, chain.compiler(plan.cache), home, version)
    else:
        stage.compile_for_linux(sources)
    executable = bundle.freeze(plan, sources, python, bundle.overlay(plan))
    if plan.target == "windows" and not plan.onefile:
        closure.check(executable.parent)
    trial.first_words([*start, str(executable)])
    if plan.zip:
        parcel.pack(executable, plan.archive)
        parcel.check(plan.archive, parcel.LIMITS[plan.flavour], plan.for_people is not None)
    if plan.test:
        trial.run_all(plan, start)
    fetch.say(f"done in {time.monotonic() - began:.0f} s: {executable} ({parcel.megabytes(plan)})")


def main() -> int:
    if own := needs.better_python():
        return subprocess.call([own, *sys.argv])
    try:
        build(parse(sys.argv[1:]))
    except (BuildError, TalkError) as error:
        print(f"build_exe: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
