"""Lost games: the move that lost is found, and the reason is the one that was planted."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

import cython_core as core
from bench.__main__ import main
from bench.game import GameRecord
from bench.losses import (
    DEEPER,
    FAULT,
    FOURS,
    HURRY,
    MISJUDGED,
    NOT_VISITED,
    OPENING,
    OWN_WIN,
    THREATS,
    Depth,
    Examiner,
    Loss,
    summary,
)
from bench.notation import read_cells
from bench.players import Control

QUICK = Depth(simulations=800, replayed=200, solver_nodes=20_000)
SHORT_SIGHTED = Depth(simulations=8, replayed=8, solver_nodes=10)
WITHOUT_NETWORK = "network=off"

# White answers black's first stones, then leaves an open three alone (ply 7) ...
OPEN_THREE_LEFT = "h8 h9 i8 g8 i9 i7 j10 a1 k11 a3 l12"
# ... or a three with one end closed, after which threes and fours win.
THREE_LEFT = "h8 h9 i8 g8 i9 i7 i10 a1 i11 a2 i12"
# White has an open three of his own and does not see it (ply 8 and on).
OWN_THREE_LEFT = "a1 h8 c1 i8 o15 j8 h9 a15 i9 c15 j9 e15 k9 g15 l9"


def lost(
    moves: str, *, player_is_black: bool = False, opening: int = 0, reason: str = "five", ms: int = 900
) -> GameRecord:
    """A game that A has lost to B."""
    cells = read_cells(moves, 15)
    black, white = ("A", "B") if player_is_black else ("B", "A")
    result = "0-1" if player_is_black else "1-0"
    return GameRecord(
        "0001a", "0001", black, white, core.FREESTYLE, 15, 15, opening, cells, [ms] * len(cells), result, reason
    )


def examined(record: GameRecord, depth: Depth = QUICK, **control: int) -> Loss:
    return Examiner(depth, Control(**control), WITHOUT_NETWORK).examine(record, "A")


def test_an_open_three_left_alone_is_a_win_by_fours_unseen() -> None:
    loss = examined(lost(OPEN_THREE_LEFT))
    assert (loss.kind, loss.ply, loss.after) == (FOURS, 7, 0.0)
    assert loss.before > 0.25 and loss.better is not None
    assert loss.plies % 2 == 1, "the opponent moves first and last"


def test_a_win_that_needs_threes_is_told_apart_from_fours() -> None:
    loss = examined(lost(THREE_LEFT))
    assert (loss.kind, loss.ply, loss.after) == (THREATS, 7, 0.0)
    assert loss.plies > 5


def test_the_last_chance_to_win_is_what_counts() -> None:
    loss = examined(lost(OWN_THREE_LEFT))
    assert loss.kind == OWN_WIN
    assert loss.ply % 2 == 1, "a move of white"


def test_a_win_that_only_the_search_finds_is_called_deeper() -> None:
    assert examined(lost(THREE_LEFT), Depth(simulations=800, replayed=40, solver_nodes=10)).kind == DEEPER


def test_what_no_solver_proves_is_blamed_on_the_clock_only_if_there_was_time_left() -> None:
    patient, hasty = examined(lost(THREE_LEFT), SHORT_SIGHTED), examined(lost(THREE_LEFT, ms=20), SHORT_SIGHTED)
    assert patient.kind in (MISJUDGED, NOT_VISITED)
    assert hasty.kind == HURRY
    assert (patient.ply, patient.before, patient.after) == (hasty.ply, hasty.before, hasty.after)
    for other_limit in ({"nodes": 100}, {"cpu_ms": 50}, {"match_ms": 10_000}):
        assert examined(lost(THREE_LEFT, ms=20), SHORT_SIGHTED, **other_limit).kind == patient.kind


def test_a_fault_needs_no_search_and_a_lost_opening_no_move() -> None:
    assert examined(lost(OPEN_THREE_LEFT, reason="timeout")).kind == FAULT
    given = examined(lost(OPEN_THREE_LEFT, opening=9))
    assert (given.kind, given.ply) == (OPENING, 0)


def test_the_summary_counts_every_class() -> None:
    record = lost(OPEN_THREE_LEFT)
    losses = [Loss(record, FOURS, plies=5), Loss(record, FOURS, plies=9), Loss(record, MISJUDGED), Loss(record, FAULT)]
    lines = summary(losses).splitlines()
    assert lines[0] == "4 games lost"
    assert lines[1].split(maxsplit=3)[:2] == ["2", "50.0"] and "7 plies on average, 9 at most" in lines[1]
    assert len(lines) == 4


def match_file(path: Path, *records: GameRecord) -> Path:
    header = {"players": {"A": "@renga", "B": "@random"}, "control": asdict(Control())}
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *(r.to_json() for r in records)]))
    return path


def test_the_command_reads_a_match_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    won = lost(OPEN_THREE_LEFT, player_is_black=True).to_json() | {"result": "1-0", "name": "0001b"}
    path = match_file(tmp_path / "m.jsonl", lost(OPEN_THREE_LEFT), GameRecord.from_json(won))
    quick = ["--simulations", "400", "--solver-nodes", "5000", "--engine", WITHOUT_NETWORK]
    assert main(["losses", str(path), *quick]) == 0
    out = capsys.readouterr()
    assert "2 games, 1 games lost" in out.out and FOURS in out.out
    assert "0001a ply 7" in out.err
    assert main(["losses", str(path), "--player", "nobody"]) == 2
    assert "no player 'nobody'; there are A, B" in capsys.readouterr().err
