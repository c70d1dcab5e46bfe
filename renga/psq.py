"""Piskvork's game records (.psq).

    Piskvorky 15x15, 11:11, 0        size, the players' levels (0 for a person), which of them began
    8,8,1500                         x,y from 1 at the upper left, and the milliseconds the move took, 0 if unknown
    9,8,800
    Alice                            the first player, the second (tournaments only)
    Bob
    -1                               how it ended
    1,renju                          whatever the writer had to add

Nothing in the format says who won by which rule: a rule's name in the last lines is believed.
"""

from __future__ import annotations

import re

from renga.game import Game, Node
from renga.notation import RULES, Move, Rule

_HEADER = re.compile(r"Piskvorky\s+([0-9]{1,4})\s*x\s*([0-9]{1,4})\s*(?:,\s*(.*))?")
_MOVE = re.compile(r"\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*(?:,\s*(-?[0-9]{1,12})\s*)?")
_NUMBER = re.compile(r"-?[0-9]{1,6}")
_KEPT = "PSQ"
"""Property of the root: the header after the size, and the lines after the names."""


def read_psq(data: bytes | str, rule: str | None = None) -> Game:
    """A game from the bytes or the text of a .psq file; ValueError with the line where it makes no sense."""
    lines = _text(data).splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    header = _HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        raise ValueError("line 1: no .psq file, it does not begin with 'Piskvorky WIDTHxHEIGHT'")
    moves = 1
    while moves < len(lines) and _MOVE.fullmatch(lines[moves]):
        moves += 1
    names, rest = _names(lines[moves:])
    try:
        game = Game(int(header[1]), int(header[2]), rule=rule or _rule_in(rest))
    except ValueError as error:
        raise ValueError(f"line 1: {error}") from None
    begins = (header[3] or "").strip()
    game.root.properties[_KEPT] = (begins, *rest)
    game.black, game.white = names[::-1] if _second_begins(begins) else names
    _read_moves(game, lines[1:moves])
    return game


def _read_moves(game: Game, lines: list[str]) -> None:
    node, taken = game.root, set()
    for number, line in enumerate(lines, 2):
        match = _MOVE.fullmatch(line)
        assert match is not None
        x, y = int(match[1]) - 1, int(match[2]) - 1
        if not (0 <= x < game.width and 0 <= y < game.height):
            raise ValueError(f"line {number}: {x + 1},{y + 1} is off the {game.width}x{game.height} board")
        if (x, y) in taken:
            raise ValueError(f"line {number}: {x + 1},{y + 1} is occupied")
        taken.add((x, y))
        node = node.add(Move(x, y, game.height), "white" if node.colour == "black" else "black")
        node.ms = int(match[3] or 0) or None


def _text(data: bytes | str) -> str:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # names in some Windows code page


def _names(lines: list[str]) -> tuple[tuple[str, str], list[str]]:
    """The players' names, where the lines after the moves begin with them, and the other lines."""
    named = _is_number(lines[2]) if len(lines) > 2 else len(lines) == 2 and not _is_number(lines[0])
    return ((lines[0].strip(), lines[1].strip()), lines[2:]) if named else (("", ""), lines)


def _is_number(line: str) -> bool:
    return _NUMBER.fullmatch(line.strip()) is not None


def _second_begins(begins: str) -> bool:
    return begins.rpartition(",")[2].strip() == "1"


def _rule_in(lines: list[str]) -> Rule:
    """The rule named in the lines after the players; freestyle if none is."""
    text = " ".join(lines).lower()
    # The longest name first: caro-overline also contains caro.
    return next((rule for rule in sorted(RULES, key=len, reverse=True) if rule in text), "freestyle")


def write_psq(game: Game) -> str:
    """The main line as the text of a .psq file; ValueError where its stones do not come in turn."""
    begins, *rest = game.root.properties.get(_KEPT, ("0:0, 0", "-1", f"0,{game.rule}"))
    lines = [f"Piskvorky {game.width}x{game.height}" + (f", {begins}" if begins else "")]
    lines += [_line(node, number) for number, node in enumerate([game.root, *game.main_line()])][1:]
    names = [" ".join(name.split()) for name in (game.black, game.white)]
    if any(names):
        lines += names[::-1] if _second_begins(begins) else names
    return "\n".join([*lines, *rest]) + "\n"


def _line(node: Node, number: int) -> str:
    if node.setup:
        raise ValueError(f"a .psq file holds moves only: stones are set up before move {number + 1}")
    if node.parent is not None and (node.move is None or node.colour != ("white", "black")[number % 2]):
        raise ValueError(f"a .psq file holds moves in turn only: move {number} is a pass, or of the other side")
    move = node.move
    if move is None:
        return ""
    return f"{move.x + 1},{move.y + 1},{node.ms or 0}"
