"""The command line of the fuzzers; see docs/measuring.md."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

from tests.fuzz import guided, talk

NAMES = ("protocol", "sgf", "psq", "game", "certificate", "network", "renlib", "database")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    modes = parser.add_subparsers(dest="mode", required=True)
    readers = modes.add_parser("readers", help="coverage-guided, one reader after the other")
    readers.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all of them by default")
    readers.add_argument("--corpus", type=Path, required=True, help="a folder outside the tree; taken up again")
    readers.add_argument("--seconds", type=int, default=60, help="for each reader")
    readers.add_argument("--runs", type=int, default=0, help="inputs for each reader, instead of --seconds")
    readers.add_argument("--seed", type=int, default=1)
    conversation = modes.add_parser("talk", help="conversations with the real program")
    conversation.add_argument("--lines", type=int, default=100_000, help="to be sent with this account altogether")
    conversation.add_argument("--account", type=Path, default=Path("runs/fuzz-talk.json"), help="taken up again")
    conversation.add_argument("--seed", type=int, default=1)
    conversation.add_argument("--only", type=int, metavar="NUMBER", help="one conversation again")
    conversation.add_argument("--tolerance-ms", type=int, default=2000, help="beyond the time of a turn")
    conversation.add_argument("--command", default=f"{shlex.quote(sys.executable)} -m brain")
    options = parser.parse_args()
    if options.mode == "talk":
        options.account.parent.mkdir(parents=True, exist_ok=True)
        return talk.run(
            shlex.split(options.command), options.account, options.seed, options.lines, options.tolerance_ms,
            options.only,
        )
    if (reason := guided.missing()) is not None:
        print(reason, file=sys.stderr)
        return 2
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"no reader {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    if len(options.names) == 1:
        guided.fuzz(options.names[0], options.corpus, options.seconds, options.runs, options.seed)
    worst = 0
    for name in options.names or NAMES:  # atheris ends the process
        again = [sys.executable, "-m", "tests.fuzz", "readers", name, "--corpus", str(options.corpus)]
        again += ["--seconds", str(options.seconds), "--runs", str(options.runs), "--seed", str(options.seed)]
        worst = max(worst, abs(subprocess.run(again, check=False).returncode))
    for name, inputs, lines in guided.account(options.corpus):
        print(f"{name}: {inputs} inputs, {lines} lines")
    return worst


if __name__ == "__main__":
    sys.exit(main())
