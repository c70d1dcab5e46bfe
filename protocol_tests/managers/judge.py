"""The tournament judge: never waits for OK, freezes a brain that is not to move, drops every line that is no
coordinate, kills on time and on private memory."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from protocol_tests.managers.game import Game, Limits
from protocol_tests.process import Brain, Failed
from protocol_tests.registry import Run
from protocol_tests.rules import XY

MEMORY = 350 << 20
TOLERANCE_MS = 1000


class _Player:
    def __init__(self, brain: Brain, limits: Limits, size: int, rule: int) -> None:
        self.brain, self.limits = brain, limits
        self.used_ms = 0.0
        self.asked = False
        brain.send(
            f"START {size}", f"INFO timeout_turn {limits.turn}", f"INFO timeout_match {limits.match}",
            f"INFO max_memory {MEMORY}", "INFO game_type 3", f"INFO rule {rule}", "INFO folder .",
            newline="\r\n",
        )  # fmt: skip
        brain.suspend()

    def move(self, game: Game) -> XY:
        left = self.limits.match - self.used_ms
        lines = [f"INFO time_left {left:.0f}"]
        if self.asked:
            x, y = game.moves[-1]
            lines.append(f"TURN {x},{y}")
        else:
            lines += ["BOARD", *game.listed(), "DONE"]
        self.asked = True
        self.brain.send(*lines, newline="\r\n")
        self.brain.resume()
        started = time.monotonic()
        allowed = min(left, self.limits.turn) + TOLERANCE_MS
        while True:
            line = self.brain.raw_line(max(0.0, allowed - self._since(started)))
            if found := re.fullmatch(r"(\d+),(\d+)", line):
                break
        self.used_ms += max(0.0, self._since(started) - 10)
        if (used := self.brain.private_bytes()) > MEMORY:
            raise Failed(f"{used >> 20} MB of private memory")
        self.brain.suspend()
        return int(found[1]), int(found[2])

    def _since(self, started: float) -> float:
        """Milliseconds of the judge's clock, which is as slow as deadlines are long."""
        return (time.monotonic() - started) * 1000 / self.brain.slack

    def leave(self) -> None:
        self.brain.resume()
        self.brain.send("END", newline="\r\n")
        self.brain.exits(500)


def play(run: Run, size: int, rule: int, limits: Limits, opening: Iterable[XY] = ()) -> Game:
    """One game from an opening (none: the judge sends BOARD and DONE without stones)."""
    game = Game(size, rule)
    game.open(opening)
    with run.brain() as one, run.brain() as two:
        players = [_Player(brain, limits, size, rule) for brain in (one, two)]
        while not game.over:
            game.play(players[game.turn].move(game))
        for player in players:
            player.leave()
    return game
