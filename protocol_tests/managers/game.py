"""A game under a referee: whose turn, what is legal, when it is over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from protocol_tests.process import Failed
from protocol_tests.rules import BLACK, RENJU, WHITE, XY, Stones, is_foul, wins


@dataclass(frozen=True)
class Limits:
    """Milliseconds a move and a match."""

    turn: int
    match: int


@dataclass
class Game:
    """Moves so far and the verdict."""

    size: int
    rule: int
    moves: list[XY] = field(default_factory=list)
    winner: int = 0
    over: bool = False

    def play(self, cell: XY) -> None:
        """The side to move plays; Failed if that is illegal or a foul."""
        stones = self.stones()
        x, y = cell
        if not (0 <= x < self.size and 0 <= y < self.size) or cell in stones:
            raise Failed(f"illegal move {cell} after {self.moves}")
        colour = self.side
        if self.rule == RENJU and colour == BLACK and is_foul(stones, cell, self.size, self.size):
            raise Failed(f"foul {cell} after {self.moves}")
        stones[cell] = colour
        self.moves.append(cell)
        if wins(stones, cell, self.rule):
            self.winner, self.over = colour, True
        elif len(self.moves) >= self.size * self.size - 25:
            self.over = True

    def open(self, cells: Iterable[XY]) -> None:
        for cell in cells:
            self.play(cell)

    @property
    def side(self) -> int:
        return WHITE if len(self.moves) % 2 else BLACK

    @property
    def turn(self) -> int:
        """Which of the two brains moves: 0 plays black."""
        return len(self.moves) % 2

    def stones(self) -> Stones:
        return {cell: WHITE if index % 2 else BLACK for index, cell in enumerate(self.moves)}

    def listed(self) -> list[str]:
        """The lines of BOARD for the side to move, in playing order."""
        me = self.turn
        return [f"{x},{y},{1 if index % 2 == me else 2}" for index, (x, y) in enumerate(self.moves)]

    def request(self) -> list[str]:
        """What a manager asks when it may use any of the three: BEGIN, TURN or BOARD."""
        if not self.moves:
            return ["BEGIN"]
        if len(self.moves) == 1:
            return [f"TURN {self.moves[0][0]},{self.moves[0][1]}"]
        return ["BOARD", *self.listed(), "DONE"]
