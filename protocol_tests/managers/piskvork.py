"""Piskvork: stderr is part of stdout, CRLF, exact OK, the first line that is no talk is the reply; undo and RESTART."""

from __future__ import annotations

import re
import time

from protocol_tests.managers.game import Game, Limits
from protocol_tests.process import Brain, Failed
from protocol_tests.registry import Run

TALK = re.compile(r"(MESSAGE|DEBUG) \S.*")


class _Player:
    def __init__(self, brain: Brain, limits: Limits) -> None:
        self.brain, self.limits = brain, limits
        self.used_ms = 0.0
        self.asked = False

    def say(self, *lines: str) -> None:
        self.brain.send(*lines, newline="\r\n")

    def reply(self, ms: float) -> str:
        """The raw first line that is not `MESSAGE text` or `DEBUG text`."""
        until = time.monotonic() + ms * self.brain.slack / 1000
        while True:
            left = max(0.0, until - time.monotonic())
            line = self.brain.raw_line(left * 1000 / self.brain.slack)
            if not TALK.fullmatch(line):
                return line

    def prepare(self, size: int, rule: int) -> None:
        self.say(f"START {size}")
        if (line := self.reply(3000)) != "OK":
            raise Failed(f"START: {line!r} is not exactly OK")
        self.tell(rule)

    def tell(self, rule: int) -> None:
        self.say(
            "INFO max_memory 1048576000", f"INFO timeout_match {self.limits.match}",
            f"INFO timeout_turn {self.limits.turn}", "INFO game_type 1", f"INFO rule {rule}",
        )  # fmt: skip
        self.asked = False

    def move(self, game: Game) -> tuple[int, int]:
        self.say(f"INFO time_left {self.limits.match - self.used_ms:.0f}")
        if self.asked:
            x, y = game.moves[-1]
            self.say(f"TURN {x},{y}")
        else:
            self.say(*game.request())
        self.asked = True
        started = time.monotonic()
        line = self.reply(self.limits.turn + 1000)
        self.used_ms += (time.monotonic() - started) * 1000
        found = re.fullmatch(r"(\d+),(\d+)", line)
        if not found:
            raise Failed(f"expected a move, got {line!r}")
        return int(found[1]), int(found[2])

    def leave(self) -> None:
        self.say("END")
        self.brain.close_input()
        self.brain.exits(700)


def _to_the_end(game: Game, players: list[_Player]) -> None:
    while not game.over:
        game.play(players[game.turn].move(game))


def _undo_and_replace(game: Game, players: list[_Player]) -> None:
    """A person takes the last two moves back, newest first, and plays another one for the side to move."""
    mover = game.turn
    newest, before = game.moves.pop(), game.moves.pop()
    # The side to move has not heard of the newest stone yet.
    for player, cell in ((players[1 - mover], newest), (players[1 - mover], before), (players[mover], before)):
        player.say(f"TAKEBACK {cell[0]},{cell[1]}")
        if (line := player.reply(1000)) != "OK":
            raise Failed(f"TAKEBACK: {line!r} is not exactly OK")
    x, y = next(cell for cell in ((0, 0), (0, 2), (2, 0)) if cell not in game.moves)
    players[mover].say(f"PLAY {x},{y}")
    if (line := players[mover].reply(1000)) != f"{x},{y}":
        raise Failed(f"PLAY {x},{y}: {line!r}")
    game.play((x, y))


def play(run: Run, size: int, rule: int, limits: Limits) -> list[Game]:
    """A game, a game after RESTART, and an undo of two moves in the middle of the second."""
    games = [Game(size, rule), Game(size, rule)]
    with run.brain(merge_stderr=True) as one, run.brain(merge_stderr=True) as two:
        players = [_Player(brain, limits) for brain in (one, two)]
        for player in players:
            player.prepare(size, rule)
        _to_the_end(games[0], players)
        for player in players:
            player.say("RESTART")
            if (line := player.reply(1000)) != "OK":
                raise Failed(f"RESTART: {line!r} is not exactly OK")
            player.used_ms = 0.0
            player.tell(rule)
        for _ in range(6):
            games[1].play(players[games[1].turn].move(games[1]))
        _undo_and_replace(games[1], players)
        _to_the_end(games[1], players)
        for player in players:
            player.leave()
    return games
