"""`renga selftest`: are this machine and this copy of Renga in order?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from brain import selftest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--network", type=Path, metavar="FILE", help="check this network instead of the shipped one")
    parser.add_argument("--book", type=Path, metavar="FILE", help="check this opening book instead of the shipped one")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options: argparse.Namespace) -> int:
    """0 if all is well, 1 if a check failed."""
    if not options.json:
        return selftest.run(options.network, options.book)
    checks = {}
    for name, check in selftest.checks(options.network, options.book):
        try:
            checks[name] = {"ok": True, "found": check()}
        except selftest.SelftestError as error:
            checks[name] = {"ok": False, "found": str(error)}
    well = all(check["ok"] for check in checks.values())
    print(json.dumps({"ok": well, "checks": checks}))
    return 0 if well else 1
