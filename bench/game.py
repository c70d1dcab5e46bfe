"""One game under a referee: the rules come from reference.py, the players are only asked for moves."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from bench.players import UNLIMITED_MS, Control, Player, PlayerFailure
from bench.reference import BLACK, WHITE, Cell, Position, is_foul, is_legal, makes_five

FAULTS = ("crash", "timeout", "garbage", "error", "illegal", "foul")  # reasons that are the loser's own conduct
DRAW = "1/2-1/2"
WIN = {BLACK: "1-0", WHITE: "0-1"}


@dataclass(frozen=True)
class GameSpec:
    """All that is needed to play a game; `name` is unique in a run, a resumed run looks for it."""

    name: str
    pair: str  # games that share an opening carry the same pair
    black: str  # player names
    white: str
    rule: int
    width: int
    height: int
    opening: tuple[Cell, ...]
    control: Control
    draw_after: int = 0  # plies; 0 = only a full board is a draw
    fresh: bool = False  # new processes for this game, instead of those of the game before


@dataclass(frozen=True)
class GameRecord:
    name: str
    pair: str
    black: str
    white: str
    rule: int
    width: int
    height: int
    opening: int  # how many of the moves were given
    moves: list[Cell]
    ms: list[int]  # per move, 0 in the opening
    result: str  # 1-0 black has won, 0-1 white has won, 1/2-1/2
    reason: str  # five, full, draw-after, nothing-legal, or one of FAULTS
    note: str = ""
    revision: str = ""  # of this program when the game was played; several words where it is not known which

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> GameRecord:
        return cls(**{**data, "moves": [(x, y) for x, y in data["moves"]]})

    def score_of(self, player: str) -> float:
        if self.result == DRAW:
            return 0.5
        return float((self.result == WIN[BLACK]) == (player == self.black))


def play_game(spec: GameSpec, players: dict[int, Player]) -> GameRecord:
    """Play to the end. A player's failure ends the game as its loss; it never ends the match."""
    position = Position(spec.width, spec.height, spec.rule)
    for cell in spec.opening:
        position = position.with_stone(cell, position.side)
    moves, ms = list(spec.opening), [0] * len(spec.opening)

    def over(result: str, reason: str, note: str = "") -> GameRecord:
        return GameRecord(
            spec.name,
            spec.pair,
            spec.black,
            spec.white,
            spec.rule,
            spec.width,
            spec.height,
            len(spec.opening),
            moves,
            ms,
            result,
            reason,
            note,
        )

    match_ms = spec.control.match_ms or UNLIMITED_MS
    left = {BLACK: match_ms, WHITE: match_ms}
    for colour in (position.side, 1 - position.side):
        try:
            players[colour].new_game(spec.width, spec.height, spec.rule, spec.control)
        except PlayerFailure as failure:
            return over(WIN[1 - colour], failure.reason, str(failure))
    while True:
        if spec.draw_after and len(moves) >= spec.draw_after:
            return over(DRAW, "draw-after")
        if len(moves) == spec.width * spec.height:
            return over(DRAW, "full")
        side = position.side
        if not any(is_legal(position, cell, side) for cell in position.empty_cells()):
            return over(DRAW, "nothing-legal")
        started = time.monotonic()
        try:
            cell = players[side].choose(moves, left[side])
        except PlayerFailure as failure:
            return over(WIN[1 - side], failure.reason, str(failure))
        spent = round((time.monotonic() - started) * 1000)
        limit = min(spec.control.turn_ms, left[side]) + spec.control.tolerance_ms
        if not position.is_empty(cell):
            return over(WIN[1 - side], "illegal", f"played {cell[0]},{cell[1]}")
        moves.append(cell)
        ms.append(spent)
        left[side] -= spent if spec.control.match_ms else 0
        if spent > limit:
            return over(WIN[1 - side], "timeout", f"{spent} ms of {limit}")
        if side == BLACK and is_foul(position, cell):
            return over(WIN[WHITE], "foul", f"played {cell[0]},{cell[1]}")
        if makes_five(position, cell, side):
            return over(WIN[side], "five")
        position = position.with_stone(cell, side)
