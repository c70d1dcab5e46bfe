"""c-gomoku-cli as the referee of a match, where it is installed: its games are read back and replayed by ours.

It knows rules 0, 1 and 4 on square boards up to 22. What it says of a game must be what our rules say.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.game import DRAW, WIN, GameRecord
from bench.notation import write_cell
from bench.openings import Opening
from bench.players import REVISION, Control
from bench.records import ResultsFile
from bench.reference import (
    BLACK,
    FREESTYLE,
    RENJU,
    STANDARD,
    WHITE,
    Position,
    is_foul,
    makes_five,
)

PROGRAM = "c-gomoku-cli"
LARGEST = 22

_REASONS = {
    "five connection": "five",
    "illegal move": "illegal",
    "forbidden move": "foul",
    "time forfeit": "timeout",
    "opponent crash": "crash",
    "fullfilled board": "full",
    "Draw by adjudication": "draw-after",
}
_TAG = re.compile(r"([A-Z]{2})\[([^\]]*)\]")
_MOVE = re.compile(r";([BW])\[([a-z])([a-z])\](?:C\[(opening move|\d+ms)\])?")


def command_line(options: argparse.Namespace, control: Control, openings: Path, sgf: Path) -> list[str]:
    """What is run for a match with our settings."""
    width, _ = options.size
    match_s, turn_s = control.match_ms / 1000, control.turn_ms / 1000
    engines = []
    for name, spec in zip(options.names, (options.first, options.second), strict=True):
        engines += ["-engine", f"name={name}", f"cmd={spec}"]
    each = ["-each", f"tc={match_s:g}/{turn_s:g}", f"maxmemory={control.memory}"]
    each += [f"tolerance={control.tolerance_ms / 1000:g}"]
    each += [f"nodes={control.nodes}"] if control.nodes else []
    rest = ["-rule", str(options.rule), "-boardsize", str(width), "-games", str(options.games), "-repeat"]
    rest += ["-concurrency", str(options.workers), "-openings", f"file={openings}", "type=pos"]
    rest += ["-drawafter", str(options.draw_after)] if options.draw_after else []
    return [PROGRAM, *each, *engines, *rest, "-sgf", str(sgf)]


def read_sgf(text: str) -> Iterator[GameRecord]:
    """The games of its SGF file; games 2n-1 and 2n share an opening. One cut short by a kill is no game."""
    for game in re.findall(r"\(;FF.*?\)\n", text, re.DOTALL):
        head, _, body = game.partition("\n")
        tags = dict(_TAG.findall(head))
        number = int(tags["GN"]) - 1
        moves, ms, given = [], [], 0
        for _, column, row, note in _MOVE.findall(body):
            moves.append((ord(column) - ord("a"), ord(row) - ord("a")))
            given += note == "opening move"
            ms.append(int(note[:-2]) if note.endswith("ms") else 0)
        result = {"B": WIN[BLACK], "W": WIN[WHITE]}.get(tags["RE"][:1], DRAW)
        words = tags.get("TE", "")
        reason = next((ours for theirs, ours in _REASONS.items() if theirs in words), words)
        size, pair = int(tags["SZ"]), f"{number // 2 + 1:04d}"
        name = f"{pair}{'ab'[number % 2]}"
        players = tags["PB"], tags["PW"]
        rule = int(tags["RU"])
        yield GameRecord(name, pair, *players, rule, size, size, given, moves, ms, result, reason)


def disagreement(record: GameRecord) -> str | None:
    """What our rules say against the result of a game, if anything."""
    position = Position(record.width, record.height, record.rule)
    for number, cell in enumerate(record.moves):
        side, last = position.side, number == len(record.moves) - 1
        if not position.is_empty(cell):
            return f"{write_cell(cell, record.height)} is taken"
        if makes_five(position, cell, side):
            if not last or record.reason != "five" or record.result != WIN[side]:
                return f"{write_cell(cell, record.height)} makes five"
            return None
        if side == BLACK and is_foul(position, cell):
            if not last or record.reason != "foul" or record.result != WIN[WHITE]:
                return f"{write_cell(cell, record.height)} is a foul"
            return None
        position = position.with_stone(cell, side)
    if record.reason == "foul" and position.side == BLACK and record.result == WIN[WHITE]:
        # It ends the game before the stone is down: the foul is not among the moves.
        return None if any(is_foul(position, cell) for cell in position.empty_cells()) else "black has no foul to play"
    return f"nobody made {record.reason}" if record.reason in ("five", "foul") else None


def sgf_beside(out: Path) -> Path:
    """Where the games are written while they are played."""
    return out.with_name(f"{out.name}.sgf")


def opening_line(opening: Opening) -> str:
    """As it reads them: `h8` and so on without gaps, but rows from the top."""
    return "".join(write_cell((x, opening.height - 1 - y), opening.height) for x, y in opening.cells)


def check(options: argparse.Namespace, out: Path) -> None:
    """ValueError where the match cannot be handed over; nothing is written."""
    width, height = options.size
    if shutil.which(PROGRAM) is None:
        raise ValueError(f"{PROGRAM} is not on the PATH")
    if options.rule not in (FREESTYLE, STANDARD, RENJU) or width != height or width > LARGEST:
        raise ValueError(f"{PROGRAM} plays rules 0, 1 and 4 on square boards up to {LARGEST}")
    if any(spec.startswith(("@", REVISION)) for spec in (options.first, options.second)):
        raise ValueError(f"{PROGRAM} plays programs only, by their command lines")
    if options.fresh:
        raise ValueError(f"{PROGRAM} keeps its processes: --fresh is not for it")
    for file in (out, sgf_beside(out)):
        if file.exists():
            raise ValueError(f"{PROGRAM} cannot resume a match: give another --out, or delete {file}")


def play(options: argparse.Namespace, control: Control, openings: Sequence[Opening], results: ResultsFile) -> None:
    """Runs the whole match. Whatever happens, finished games stay in its SGF file and, where our rules say the same,
    go into the results; ValueError tells what went wrong."""
    sgf = sgf_beside(results.path)
    trouble = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "openings.txt"
        file.write_text("".join(opening_line(opening) + "\n" for opening in openings))
        try:
            code = subprocess.run(command_line(options, control, file, sgf)).returncode
        finally:
            games = list(read_sgf(sgf.read_text())) if sgf.exists() else []
            for record in games:
                flaw = disagreement(record)
                if flaw is None:
                    results.append(record)
                else:
                    trouble.append(f"game {record.name} is {record.result} ({record.reason}) to it, but {flaw}")
    if code or len(games) < options.games:
        trouble.insert(0, f"it ended with code {code} after {len(games)} of {options.games} games")
    if trouble:
        raise ValueError(f"{PROGRAM}: {'; '.join(trouble)}. All its games are in {sgf}")
