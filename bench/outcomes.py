"""What the repository keeps of a run: a letter per game instead of its record, so that days of games are a few lines.

W, D and L: won, drawn, lost by the first player of an encounter; a fault is its initial, small where the first player
failed and large where the second did; a dot is a game not played. Neighbours share an opening.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.game import DRAW, FAULTS, WIN, GameRecord
from bench.match import paired_games
from bench.openings import Opening
from bench.players import Control
from bench.records import ResultsFile, read_results
from bench.reference import BLACK, WHITE

LETTERS = {1.0: "W", 0.5: "D", 0.0: "L"}
SCORES = {letter: score for score, letter in LETTERS.items()}
REASONS = {reason[0]: reason for reason in FAULTS}
NOT_PLAYED = "."


def letter_of(record: GameRecord, first: str) -> str:
    score = record.score_of(first)
    if record.reason in FAULTS:
        return record.reason[0].upper() if score else record.reason[0]
    return LETTERS[score]


def condense(header: dict[str, Any], records: Sequence[GameRecord]) -> dict[str, Any]:
    """The run as it is kept."""
    encounters: dict[tuple[str, str, str], dict[int, str]] = {}
    for record in records:
        prefix, second_game = record.pair.rstrip("0123456789"), record.name.endswith("b")
        first, second = (record.white, record.black) if second_game else (record.black, record.white)
        index = 2 * int(record.pair.removeprefix(prefix)) - 2 + second_game
        encounters.setdefault((prefix, first, second), {})[index] = letter_of(record, first)
    games = [
        {
            "prefix": prefix,
            "first": first,
            "second": second,
            "outcomes": "".join(letters.get(index, NOT_PLAYED) for index in range(max(letters) + 1)),
        }
        for (prefix, first, second), letters in encounters.items()
    ]
    revisions = sorted({word for record in records for word in record.revision.split()})
    return {"header": header, "revisions": revisions, "games": games}


def expand(data: dict[str, Any]) -> list[GameRecord]:
    """Its games, without moves, times and the reasons of ordinary ends: all that tables and ratings need."""
    records = []
    rule, (width, height) = data["header"]["rule"], data["header"]["size"]
    for encounter in data["games"]:
        first, letters = encounter["first"], encounter["outcomes"]
        specs = paired_games(
            first, encounter["second"], [Opening(width, height, ())], rule, Control(), len(letters),
            prefix=encounter["prefix"],
        )  # fmt: skip
        for spec, letter in zip(specs, letters, strict=True):
            if letter == NOT_PLAYED:
                continue
            score = SCORES.get(letter, float(letter.isupper()))
            first_is_black = spec.black == first
            result = DRAW if score == 0.5 else WIN[BLACK if (score == 1.0) == first_is_black else WHITE]
            reason = "" if letter in SCORES else REASONS[letter.lower()]
            records.append(
                GameRecord(
                    spec.name, spec.pair, spec.black, spec.white, rule, width, height, 0, [], [], result, reason,
                    revision=" ".join(data["revisions"]),
                )
            )  # fmt: skip
    return records


def keep(run: Path, kept: Path) -> None:
    """Writes what is to be kept of a results file, beside the games that are kept of it already."""
    header, records = read_results(run)
    if kept.exists():
        data = json.loads(kept.read_text())
        if data["header"] != header:
            raise ValueError(f"{kept} is of another run than {run}; remove the one that is out of date")
        records = list({record.name: record for record in [*expand(data), *records]}.values())
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(condense(header, records), indent=1) + "\n")


def restore(kept: Path, run: Path) -> None:
    """Makes a results file from what was kept, so that the run can go on where its own file is lost."""
    data = json.loads(kept.read_text())
    results = ResultsFile(run, data["header"])
    for record in expand(data):
        results.append(record)
    results.close()
