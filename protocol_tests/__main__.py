"""`python -m protocol_tests --brain CMD [--slack N] [--full] [NAME or ITEM ...]`"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from protocol_tests.process import Failed
from protocol_tests.registry import Run, all_checks, named, split_command


def main() -> int:
    parser = argparse.ArgumentParser(prog="protocol_tests", description="Checks a brain against the protocol.")
    parser.add_argument("--brain", default=f"{sys.executable} -m brain", help="command line of the brain")
    parser.add_argument("--slack", type=float, default=1.0, help="deadlines are multiplied by this (default 1)")
    parser.add_argument("--full", action="store_true", help="literal limits and large counts")
    parser.add_argument("--list", action="store_true", help="print the checks and their items")
    parser.add_argument("names", nargs="*", help="only checks with this name part or item number")
    arguments = parser.parse_args()
    checks = named(all_checks(), arguments.names)
    if arguments.list:
        for each in checks:
            print(each.name, *each.items)
        return 0
    run = Run(split_command(arguments.brain), arguments.slack, arguments.full)
    failures = 0
    for each in checks:
        started = time.monotonic()
        try:
            each.play(run)
            verdict = "ok"
        except Failed as failure:
            verdict = f"FAILED {failure}"
        except Exception:
            verdict = f"FAILED\n{traceback.format_exc()}"
        failures += verdict != "ok"
        print(f"{each.name} {time.monotonic() - started:.1f} s: {verdict}", flush=True)
    print(f"{len(checks) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
