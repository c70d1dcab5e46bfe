"""Puzzles won by fours, played out by a player: `python -m bench tactics FILE --player SPEC`.

Won: every move of the player makes a four and the last one a five, whatever its opponent, who stops each four,
gets from it.
"""

from __future__ import annotations

import sys
import time
from itertools import zip_longest
from pathlib import Path
from statistics import median

from bench.machine import machine_line
from bench.notation import RULE_NAMES
from bench.players import UNLIMITED_MS, Control, Player, PlayerFailure, make_player
from bench.puzzles import Puzzle, read_puzzles
from bench.reference import Cell, is_legal, makes_five, winning_cells


def as_moves(puzzle: Puzzle) -> list[Cell]:
    """The stones in an order in which the opponent has moved last; colours alternate backwards from there."""
    own, other = (puzzle.black, puzzle.white) if puzzle.side == 0 else (puzzle.white, puzzle.black)
    if not 0 <= len(other) - len(own) <= 1:
        raise ValueError(f"puzzle {puzzle.name}: {len(own)} own and {len(other)} other stones are no game")
    backwards = zip_longest(reversed(other), reversed(own))
    return [cell for pair in backwards for cell in pair if cell is not None][::-1]


def why_not_won(puzzle: Puzzle, rule: int, player: Player, control: Control) -> tuple[str | None, float]:
    """What kept the player from winning by fours, None if nothing did; and the longest of its moves, in seconds."""
    position, moves, longest = puzzle.position(rule), as_moves(puzzle), 0.0
    attacker = puzzle.side
    try:
        player.new_game(puzzle.width, puzzle.height, rule, control)
        while True:
            started = time.monotonic()
            cell = player.choose(moves, UNLIMITED_MS)
            longest = max(longest, time.monotonic() - started)
            if not is_legal(position, cell, attacker):
                return f"illegal move {cell[0]},{cell[1]}", longest
            if makes_five(position, cell, attacker):
                return None, longest
            position = position.with_stone(cell, attacker)
            fives = winning_cells(position, attacker)
            if not fives:
                return f"{cell[0]},{cell[1]} makes no four", longest
            if winning_cells(position, 1 - attacker):
                return f"{cell[0]},{cell[1]} leaves a five", longest
            reply = fives[0]
            position = position.with_stone(reply, 1 - attacker)
            moves += [cell, reply]
    except PlayerFailure as failure:
        return f"{failure.reason}: {failure}", longest



def report(path: Path, rule: int, first: int, spec: str, control: Control) -> int:
    """Plays the puzzles of a file (the first `first` of them, 0 = all) and prints the score; 1 if any was not won."""
    file = read_puzzles(path)
    if file.kind != "vcf":
        raise ValueError(f"{path}: only puzzles that are won by fours can be played out")
    puzzles, player = file.puzzles[: first or None], make_player(spec, seed=1)
    lost, times = 0, []
    try:
        for number, puzzle in enumerate(puzzles, 1):
            flaw, longest = why_not_won(puzzle, rule, player, control)
            times.append(longest)
            if flaw is not None:
                lost += 1
                print(f"{puzzle.name} not won: {flaw}")
            if number % 200 == 0:
                print(f"{number} of {len(puzzles)}", file=sys.stderr)
    finally:
        player.close()
    won = len(puzzles) - lost
    print(machine_line())
    print(f"{path.name} played by {spec}, {RULE_NAMES[rule]}, {control.turn_ms} ms a move")
    print(f"won by fours {won} of {len(puzzles)} ({100 * won / max(len(puzzles), 1):.2f} %)")
    if times:
        print(f"longest move of a puzzle: median {1000 * median(times):.0f} ms, longest {1000 * max(times):.0f} ms")
    return 1 if lost else 0
