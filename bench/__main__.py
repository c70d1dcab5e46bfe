"""`python -m bench <command>`: one command per question we ask about the engine."""

from __future__ import annotations

import argparse
import importlib
import sys

COMMANDS = {
    "endurance": "the program against itself on every rule and size",
    "executables": "size, start-up and memory of frozen executables",
    "ladder": "round robin of Renga and the systems it grew from",
    "levels": "the levels for people against each other",
    "losses": "which move lost each lost game of a match, and why",
    "match": "paired games between two players",
    "memory": "does a long search grow once its pools are full?",
    "moonshot": "the first player wins from the centre: proven reply by reply",
    "proofs": "certificates of puzzles and of proven games, verified",
    "report": "docs/strength.md from the results",
    "signature": "fingerprint of the core's behaviour",
    "speed": "speed of every component, latencies and memory",
    "tactics": "solve rate of puzzle files",
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="question", required=True)
    modules = {}
    for name, help_text in COMMANDS.items():
        modules[name] = importlib.import_module(f"bench.{name}")
        modules[name].add_arguments(commands.add_parser(name, help=help_text, description=help_text))
    options = parser.parse_args(arguments)
    try:
        return int(modules[options.question].main(options))
    except (ValueError, OSError) as error:
        print(f"bench {options.question}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"bench {options.question}: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
