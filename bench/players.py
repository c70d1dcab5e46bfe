"""What the referee asks of a player, and how a text names one.

`@name` is a player of ours in this process (see own_players.py), `git:REV` an older revision of this program (see
revisions.py); anything else is the command line of a program that speaks the protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bench.machine import commit_of
from bench.reference import Cell

REVISION = "git:"  # how the text of a player begins that is an older revision
UNLIMITED_MS = 2_147_483_647  # the protocol's word for "no match limit"


class PlayerFailure(Exception):
    """The player lost the game by its own conduct; `reason` is one word, the message tells more."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Control:
    """What one player may spend."""

    turn_ms: int = 1000
    match_ms: int = 0  # 0 = no limit
    nodes: int = 0  # 0 = no limit; else the turn limit is only a safety net
    memory: int = 350 << 20  # bytes, told to programs
    threads: int = 1  # likewise
    cpu_ms: int = 0  # processor time of a move instead, for players of this process that can; 0 = no limit
    tolerance_ms: int = 1000  # grace of the referee, as in Piskvork and the judge


class Player(Protocol):
    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        """Get ready for a game on an empty board."""

    def choose(self, moves: Sequence[Cell], left_ms: int) -> Cell:
        """The next move after `moves`, colours alternating from black; `left_ms` of the match remain."""

    def close(self) -> None:
        """Free what the player holds; it is not used again."""


def pinned(spec: str) -> str:
    """The same player for as long as a match lasts: what HEAD~1 means changes with the next commit."""
    return REVISION + commit_of(spec.removeprefix(REVISION)) if spec.startswith(REVISION) else spec


def make_player(spec: str, seed: int) -> Player:
    """Build the player a text names; ValueError if there is none."""
    if spec.startswith("@"):
        from bench.own_players import make_own

        return make_own(spec[1:], seed)
    from bench.process import ProcessPlayer

    if spec.startswith(REVISION):
        from bench.revisions import command_of

        spec = command_of(spec.removeprefix(REVISION))
    return ProcessPlayer(spec)
