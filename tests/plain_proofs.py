"""Certificates replayed against every single reply, by the core's rules: plain, recursive, without footprints."""

from __future__ import annotations

import re
from typing import NamedTuple

import cython_core as core
from bench.notation import read_rule


class Step(NamedTuple):
    move: int | None
    table: dict[int, int]  # reply -> number of the line that answers it


class Fails(Exception):
    """The proof has a hole."""


def read_plain(text: str) -> tuple[core.Board, int, list[list[Step]]]:
    """Position, winner and lines of a certificate that is known to be well formed."""
    rows = text.splitlines()
    tree = next(i for i, row in enumerate(rows) if row.startswith("tree "))
    head = dict(row.partition(" ")[::2] for row in rows[:tree])
    width, height = map(int, head["size"].split("x"))

    def cell(word: str) -> int:
        match = re.fullmatch(r"(a?)([a-z])(\d+)", word)
        assert match is not None
        return core.cell(ord(match[2]) - ord("a") + 26 * bool(match[1]), height - int(match[3]))

    colours = {"black": core.BLACK, "white": core.WHITE, "blocked": core.BLOCKED}
    board = core.Board(width, height, read_rule(head["rule"]))
    for name, colour in colours.items():
        for word in head.get(name, "").split():
            board.put(cell(word), colour)
    board.settle()
    board.side = colours[head["turn"]]
    lines = []
    for row in rows[tree + 1 : -1]:
        steps = []
        for move, table in re.findall(r"([a-z0-9-]+)(?:\(([^)]*)\))?", row):
            entries = [entry.split(":") for entry in table.split()]
            answers = {cell(word): int(line) for replies, line in entries for word in replies.split(",")}
            steps.append(Step(None if move == "-" else cell(move), answers))
        lines.append(steps)
    return board, colours[head["claim"].split()[0]], lines


def longest_game(text: str) -> int:
    """Plies of the longest game that the proof leads to; Fails if some reply escapes."""
    board, winner, lines = read_plain(text)
    cells = [core.cell(x, y) for y in range(board.height) for x in range(board.width)]
    seen: dict[object, int] = {}

    def attack(chain: list[Step]) -> int:
        move = chain[0].move
        assert move is not None
        board.side = winner
        if not board.legal(move):
            raise Fails(f"{core.xy(move)} is illegal")
        if board.class_of(move, winner) == core.CLASS_FIVE:
            return 1
        key = board.key, id(chain[0]), len(chain)
        if key not in seen:
            board.play(move)
            seen[key] = 1 + defend(chain)
            board.undo()
        return seen[key]

    def defend(chain: list[Step]) -> int:
        board.side = 1 - winner
        replies = [cell for cell in cells if board.legal(cell)]
        if not replies:
            raise Fails("a draw")
        if board.count(1 - winner, core.CLASS_FIVE):
            raise Fails("the loser makes five")
        longest = 0
        for reply in replies:
            board.side = 1 - winner
            board.play(reply)
            if reply in chain[0].table:
                plies = attack(lines[chain[0].table[reply] - 1])
            elif board.count(winner, core.CLASS_FIVE):
                plies = 1
            elif len(chain) > 1:
                plies = attack(chain[1:])
            else:
                raise Fails(f"{core.xy(reply)} is not answered")
            board.undo()
            longest = max(longest, 1 + plies)
        return longest

    if board.winner != core.EMPTY:
        raise Fails("the game is over")
    return attack(lines[-1]) if lines[-1][0].move is not None else defend(lines[-1])
