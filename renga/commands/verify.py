"""`renga verify`: does a certificate prove what it claims?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from renga import verify


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a certificate, plain or packed by gzip")
    parser.add_argument(
        "--limit", type=int, default=verify.MOST_POSITIONS, metavar="N", help="positions to look at, at most"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options: argparse.Namespace) -> int:
    """0 if it is verified, 1 if it is refuted, 2 if it is no certificate."""
    if not options.json:
        return verify.main([options.file, "--limit", str(options.limit)])
    try:
        with Path(options.file).open("rb") as stream:
            found = verify.verify(stream.read(verify.LARGEST_TEXT + 1), options.limit)
    except (verify.Refuted, verify.Unusable) as error:
        refuted = isinstance(error, verify.Refuted)
        print(json.dumps({"verdict": "refuted" if refuted else "unusable", "reason": str(error)}))
        return 1 if refuted else 2
    print(json.dumps({"verdict": "verified", **found._asdict()}))
    return 0
