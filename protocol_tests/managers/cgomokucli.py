"""c-gomoku-cli: ABOUT before anything, LF, START for every game of one process, YXSTOP at the soft limit."""

from __future__ import annotations

import re
import time

from protocol_tests.managers.game import Game, Limits
from protocol_tests.process import Brain, Failed
from protocol_tests.registry import Run
from protocol_tests.rules import XY

TOLERANCE_MS = 3000


class _Player:
    def __init__(self, brain: Brain, limits: Limits) -> None:
        self.brain, self.limits = brain, limits
        self.left_ms = float(limits.match)
        self.asked = False
        brain.send("ABOUT")
        while (line := brain.raw_line(TOLERANCE_MS)).startswith(("MESSAGE", "DEBUG", "UNKNOWN", "ERROR")):
            pass
        if not re.match(r'name="', line):
            raise Failed(f"ABOUT: {line!r}")

    def prepare(self, size: int, rule: int) -> None:
        self.brain.send(f"START {size}")
        while (line := self.brain.raw_line(TOLERANCE_MS)) != "OK":
            if line.startswith("ERROR"):
                raise Failed(f"START: {line!r}")
        self.brain.send(
            f"INFO rule {rule}", f"INFO timeout_turn {self.limits.turn}", f"INFO timeout_match {self.limits.match}",
            "INFO max_node 1000000", "INFO max_memory 367001600", "INFO thread_num 1",
        )  # fmt: skip
        self.left_ms, self.asked = float(self.limits.match), False

    def move(self, game: Game, soft_ms: float) -> XY:
        self.brain.send(f"INFO time_left {self.left_ms:.0f}")
        if self.asked:
            x, y = game.moves[-1]
            self.brain.send(f"TURN {x},{y}")
        else:
            self.brain.send(*game.request())
        self.asked = True
        started = time.monotonic()
        stopped = False
        while True:
            gone_ms = (time.monotonic() - started) * 1000
            try:
                allowed = TOLERANCE_MS if stopped else max(0.0, soft_ms - gone_ms) / self.brain.slack
                line = self.brain.raw_line(allowed)
            except Failed:
                if stopped:
                    raise
                self.brain.send("YXSTOP")
                stopped = True
                continue
            if found := re.fullmatch(r"(\d+),(\d+)", line):
                break
        self.left_ms -= (time.monotonic() - started) * 1000
        return int(found[1]), int(found[2])

    def leave(self) -> None:
        self.brain.send("END")
        self.brain.exits(TOLERANCE_MS)


def play(run: Run, size: int, rule: int, limits: Limits, games: int, soft_ms: float) -> list[Game]:
    """Several games with the same two processes, colours exchanged; every move is stopped at the soft limit."""
    played = []
    with run.brain() as one, run.brain() as two:
        players = [_Player(brain, limits) for brain in (one, two)]
        for _ in range(games):
            game = Game(size, rule)
            for player in players:
                player.prepare(size, rule)
            while not game.over:
                game.play(players[game.turn].move(game, soft_ms))
            played.append(game)
            players.reverse()
        for player in players:
            player.leave()
    return played
