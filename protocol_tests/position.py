"""The position a conversation has led to, read from what was sent and answered; and whether a move is legal in it."""

from __future__ import annotations

import re

from protocol_tests.process import Failed
from protocol_tests.rules import BLACK, NOBODY, RENJU, WHITE, XY, Stones, is_foul

MOVE = re.compile(r"(\d+),(\d+)")
_PAIR = re.compile(r"\s*(-?\d+)\s*,\s*(-?\d+)\s*")
_LIST_VERBS = ("BOARD", "YXBOARD", "SWAP2BOARD")


class Position:
    """Follows one conversation. Unusable commands change nothing, as the protocol wants it."""

    def __init__(self) -> None:
        self.width = self.height = 0
        self.rule = 0
        self.side = BLACK
        self.stones: Stones = {}
        self._list: list[tuple[int, ...]] | None = None
        self._verb = ""

    def sent(self, line: str) -> None:
        """A line went to the brain."""
        words = line.split()
        verb = words[0].upper() if words else ""
        if self._list is not None:
            self._listed(" ".join(words))
        elif verb in _LIST_VERBS:
            self._list, self._verb = [], verb
            self._listed(" ".join(words[1:]))
        elif verb == "START" and len(words) > 1 and words[1].isdecimal() and 5 <= int(words[1]) <= 32:
            self._clear(int(words[1]), int(words[1]))
        elif verb == "RECTSTART" and (pair := _PAIR.fullmatch("".join(words[1:]))):
            self._clear(int(pair[1]), int(pair[2]))
        elif verb == "RESTART":
            self._clear(self.width, self.height)
        elif verb == "INFO" and len(words) > 2 and words[1].lower() == "rule" and words[2].isdecimal():
            self.rule = int(words[2])
        elif verb in ("TURN", "TAKEBACK") and (pair := _PAIR.fullmatch("".join(words[1:]))):
            cell = int(pair[1]), int(pair[2])
            if verb == "TAKEBACK" and cell in self.stones:
                self.side = self.stones.pop(cell)
            elif verb == "TURN" and self.on_board(cell) and cell not in self.stones:
                self.place(cell)

    def moved(self, line: str) -> XY:
        """The brain answered with a move: it must be legal; it is played."""
        found = MOVE.fullmatch(line)
        if not found:
            raise Failed(f"expected a move, got {line!r}")
        cell = int(found[1]), int(found[2])
        self.check(cell)
        self.place(cell)
        return cell

    def check(self, cell: XY) -> None:
        if not self.on_board(cell):
            raise Failed(f"{cell} is off the {self.width}x{self.height} board")
        if cell in self.stones:
            raise Failed(f"{cell} is occupied")
        if self.rule == RENJU and self.side == BLACK and is_foul(self.stones, cell, self.width, self.height):
            raise Failed(f"{cell} is forbidden")

    def place(self, cell: XY) -> None:
        self.stones[cell] = self.side
        self.side = WHITE if self.side == BLACK else BLACK

    def on_board(self, cell: XY) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def free_cells(self) -> list[XY]:
        cells = ((x, y) for y in range(self.height) for x in range(self.width))
        return [cell for cell in cells if cell not in self.stones]

    def _clear(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.side, self.stones = BLACK, {}

    def _listed(self, text: str) -> None:
        assert self._list is not None
        for token in text.replace(", ", ",").split():
            if token.upper() == "DONE":
                self._set(self._list)
                self._list = None
                return
            fields = token.split(",")
            wanted = 2 if self._verb == "SWAP2BOARD" else 3
            if len(fields) == wanted and all(field.lstrip("-").isdecimal() for field in fields):
                self._list.append(tuple(int(field) for field in fields))

    def _set(self, entries: list[tuple[int, ...]]) -> None:
        self._clear(self.width, self.height)
        if self._verb == "SWAP2BOARD":
            for x, y in entries:
                self.place((x, y))
            return
        owners: dict[XY, int] = {}
        for x, y, owner in entries:
            if self.on_board((x, y)) and owner in (1, 2, 3):
                owners.setdefault((x, y), owner)
        ours, theirs = (list(owners.values()).count(owner) for owner in (1, 2))
        self.side = BLACK if ours >= theirs else WHITE
        for cell, owner in owners.items():
            self.stones[cell] = NOBODY if owner == 3 else self.side if owner == 1 else 3 - self.side
