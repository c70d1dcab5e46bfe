"""Game records on disk: the append-only results file of a run, PGN-like text, and Piskvork's .psq."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.game import DRAW, WIN, GameRecord
from bench.holding import hold
from bench.machine import revision
from bench.notation import RULE_NAMES, write_cell
from bench.reference import BLACK


def read_results(path: Path) -> tuple[dict[str, Any], list[GameRecord]]:
    """The header and the games of a results file; a line cut short by a kill is no game.

    ValueError names the line that is damaged in another way.
    """
    whole = path.read_bytes()
    header: dict[str, Any] = {}
    records = []
    for number, line in enumerate(whole[: whole.rfind(b"\n") + 1].splitlines(), 1):
        try:
            if number == 1:
                header = dict(json.loads(line))
            else:
                records.append(GameRecord.from_json(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}:{number}: the line is damaged: {error}") from error
    return header, records


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """What two headers disagree in, for the reader of a refusal."""

    def told(header: dict[str, Any], field: str) -> str:
        return json.dumps(header[field]) if field in header else "unknown"

    fields = [field for field in {**found, **wanted} if found.get(field) != wanted.get(field)]
    return "; ".join(f"{field} was {told(found, field)}, is {told(wanted, field)}" for field in fields)


class ResultsFile:
    """One JSON object a line: first what is being played, then each finished game.

    A line cut short by a kill is dropped on the next opening, so that a resumed run has the same totals as an
    undisturbed one.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        """Open for appending; ValueError if the file belongs to another run, or another process is writing it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        # Unbuffered: what a full disk has refused must not be tried again by close().
        self._file = path.open("r+b", buffering=0)
        hold(self._file.fileno(), path)
        found, self.records = read_results(path)
        wanted = json.loads(json.dumps(header))
        if found and found != wanted:
            raise ValueError(
                f"{path} holds another run ({differences(found, wanted)}): give another --out, or delete the file"
            )
        self.path, self._revision = path, revision()
        self._file.truncate(self._file.seek(path.read_bytes().rfind(b"\n") + 1))
        if not found:
            self._write(header)

    def _write(self, data: dict[str, Any]) -> None:
        line = (json.dumps(data) + "\n").encode()
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def append(self, record: GameRecord) -> None:
        """Only a game that is on disk is among the records."""
        record = record if record.revision else replace(record, revision=self._revision)
        self._write(record.to_json())
        self.records.append(record)

    def close(self) -> None:
        self._file.close()


def to_pgn(record: GameRecord) -> str:
    """Chess-like tags and numbered moves."""
    tags = {
        "Event": record.name,
        "Black": record.black,
        "White": record.white,
        "Rule": RULE_NAMES[record.rule],
        "Size": f"{record.width}x{record.height}",
        "Opening": str(record.opening),
        "Result": record.result,
        "Termination": record.reason + (f": {record.note}" if record.note else ""),
    }
    head = "\n".join(f'[{key} "{value}"]'.replace("\\", "/") for key, value in tags.items())
    words = []
    for number, cell in enumerate(record.moves):
        move = write_cell(cell, record.height)
        words.append(f"{number // 2 + 1}. {move}" if number % 2 == 0 else move)
    return f"{head}\n\n{' '.join([*words, record.result])}\n"


def to_psq(record: GameRecord) -> str:
    """Piskvork's format: one-based `x,y,ms`, the players, then 1, 2 or 0 for who has won."""
    lines = [f"Piskvorky {record.width}x{record.height}, 11:11, 0"]
    lines += [f"{x + 1},{y + 1},{ms}" for (x, y), ms in zip(record.moves, record.ms, strict=True)]
    winner = 0 if record.result == DRAW else 1 if record.result == WIN[BLACK] else 2
    lines += [record.black, record.white, "-1", f"{winner},{RULE_NAMES[record.rule]}"]
    return "\n".join(lines) + "\n"


def write_records(records: Iterable[GameRecord], pgn: Path | None, psq: Path | None) -> None:
    """All games into one text file, and one .psq file each into a folder."""
    games = list(records)
    if pgn is not None:
        pgn.parent.mkdir(parents=True, exist_ok=True)
        pgn.write_text("\n".join(to_pgn(record) for record in games))
    if psq is not None:
        psq.mkdir(parents=True, exist_ok=True)
        for record in games:
            (psq / f"{record.name}.psq").write_text(to_psq(record))
