"""Game records on disk: the append-only results file of a run, PGN-like text, and Piskvork's .psq."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.game import DRAW, WIN, GameRecord
from bench.machine import revision
from bench.notation import RULE_NAMES, write_cell
from bench.reference import BLACK


def read_results(path: Path) -> tuple[dict[str, Any], list[GameRecord]]:
    """The header and the games of a results file; a line cut short by a kill is no game."""
    whole = path.read_bytes()
    header, *games = [json.loads(line) for line in whole[: whole.rfind(b"\n") + 1].splitlines()] or [{}]
    return header, [GameRecord.from_json(game) for game in games]


class ResultsFile:
    """One JSON object a line: first what is being played, then each finished game.

    A line cut short by a kill is dropped on the next opening, so that a resumed run has the same totals as an
    undisturbed one.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        """Open for appending; ValueError if the file belongs to another run."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        found, self.records = read_results(path)
        if found and found != json.loads(json.dumps(header)):
            raise ValueError(f"{path} holds another run; give a new file or the same settings")
        self._revision = revision()
        self._file = path.open("r+b")
        self._file.truncate(self._file.seek(path.read_bytes().rfind(b"\n") + 1))
        if not found:
            self._write(header)

    def _write(self, data: dict[str, Any]) -> None:
        self._file.write((json.dumps(data) + "\n").encode())
        self._file.flush()

    def append(self, record: GameRecord) -> None:
        self.records.append(record if record.revision else replace(record, revision=self._revision))
        self._write(self.records[-1].to_json())

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
        words.append(f"{number // 2 + 1}. {write_cell(cell)}" if number % 2 == 0 else write_cell(cell))
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
        pgn.write_text("\n".join(to_pgn(record) for record in games))
    if psq is not None:
        psq.mkdir(parents=True, exist_ok=True)
        for record in games:
            (psq / f"{record.name}.psq").write_text(to_psq(record))
