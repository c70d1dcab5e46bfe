"""Time: how much a move may take (`limits`), and whether a search is over (`Timer`).

The process may be suspended between turns, so wall time across turns means nothing: the account adds up what
we ourselves spent from the arrival of a command to its reply, and the manager's time_left can only lower it.
Times are those of time.perf_counter() everywhere in brain: time.monotonic() moves in steps of 16 ms on Windows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from brain.choice import is_certain
from brain.settings import UNLIMITED_MS, Settings

INSTANT_S = 0.02
"""Budget of a move that must come at once (timeout_turn 0, no time left): static answers and a glance."""

SHORTEST_S = 0.003
"""...and when even instants would add up to more than is left."""

MOVE_OVERHEAD_S = 0.015
"""Per move spent outside our sight (pipes, scheduling); judges count it, we cannot measure it."""

MATCH_RESERVE_S = 0.5
"""Never planned for: late wake-ups."""

FEWEST_MOVES, MOST_MOVES = 8.0, 18.0
"""The divisor of the time left, late and early in a game. Less than the moves still to come: those after a proven win
cost nothing, and most games are decided by the fifteenth own move."""

STRETCH = 3.0
"""A difficult move may take this many times its share."""

LARGEST_PART = 0.2
"""...but never more than this part of what is left."""

SWAP2_PART = 0.03
"""Part of the match for one swap2 request; there are at most two in a game."""

EARLIEST_DECISION = 0.15
"""Part of the ordinary time before which the speed is not known well enough to call a lead safe: a tree kept from the
last move brings a lead along, and the first simulations are slow."""


LEAST_LOOK = 100
"""Simulations of a forced move whose value is wanted all the same."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search has to end. Times are seconds after `started`."""

    started: float
    """time.perf_counter() of the command's arrival (earlier if start-up is to be charged)."""
    optimum_s: float
    """Aim for this when the decision is ordinary."""
    maximum_s: float
    """Never search beyond this."""
    max_nodes: int = 0
    """Simulations; 0 = no limit."""
    max_depth: int = 0
    """Plies below the root; 0 = no limit."""

    @property
    def deadline(self) -> float:
        """time.perf_counter() at which the search must be over."""
        return self.started + self.maximum_s


@dataclass(frozen=True, slots=True)
class Account:
    """The match clock as we know it: our own spending and the manager's last word."""

    spent_s: float = 0.0
    """Seconds from arrival to reply, added up since the match began."""
    left_ms: int | None = None
    """The manager's last time_left."""
    spent_then_s: float = 0.0
    """`spent_s` when `left_ms` was said."""

    def charged(self, seconds: float) -> Account:
        """One more reply, that many seconds after its request was read."""
        return replace(self, spent_s=self.spent_s + max(0.0, seconds) + MOVE_OVERHEAD_S)

    def told(self, left_ms: int) -> Account:
        return Account(self.spent_s, left_ms, self.spent_s)

    def left_s(self, match_ms: int) -> float | None:
        """Seconds left in the match, the smaller of both books; None = no limit; may be negative."""
        books = []
        if 0 < match_ms < UNLIMITED_MS:
            books.append(match_ms / 1000 - self.spent_s)
        if self.left_ms is not None and self.left_ms < UNLIMITED_MS:
            books.append(self.left_ms / 1000 - (self.spent_s - self.spent_then_s))
        return min(books, default=None)


def reply_margin_s(turn_s: float) -> float:
    """Seconds kept back of a turn limit so that the reply is through the pipe in time."""
    return min(0.15, 0.012 + 0.035 * turn_s)


def limits(settings: Settings, account: Account, ply: int, empties: int, started: float) -> Limits:
    """Limits for one ordinary move. 0 < optimum_s <= maximum_s always holds."""
    turn_s = settings.turn_ms / 1000
    longest = turn_s - reply_margin_s(turn_s)
    left_s = account.left_s(settings.match_ms)
    instant = INSTANT_S
    if left_s is None:
        # Nothing can be saved up for later moves, so an ordinary move may use it all.
        optimum = maximum = longest
    else:
        # The longest game there can be must still end in time, by instants.
        at_most = max(1.0, empties / 2)
        instant = max(SHORTEST_S, min(INSTANT_S, left_s / at_most / 2))
        spare = left_s - MATCH_RESERVE_S - (instant + MOVE_OVERHEAD_S) * at_most
        moves = max(FEWEST_MOVES, MOST_MOVES - ply / 3)
        # The first replies are known or slow to matter; the fight around plies 8 to 30 decides.
        weight = 0.6 if ply < 4 else 1.2 if ply < 30 else 1.0
        optimum = min(longest, weight * spare / moves)
        maximum = min(longest, STRETCH * optimum, LARGEST_PART * spare)
    return _made(settings, started, optimum, maximum, instant)


def swap2_limits(settings: Settings, account: Account, started: float) -> Limits:
    """Limits for one whole swap2 request: a small part of the match."""
    turn_s = settings.turn_ms / 1000
    longest = turn_s - reply_margin_s(turn_s)
    left_s = account.left_s(settings.match_ms)
    if left_s is not None:
        longest = min(longest, SWAP2_PART * (left_s - MATCH_RESERVE_S))
    return _made(settings, started, longest, longest, INSTANT_S)


def _made(settings: Settings, started: float, optimum: float, maximum: float, instant: float) -> Limits:
    if settings.turn_ms:
        instant = min(instant, settings.turn_ms / 2000)
    maximum = max(instant, maximum)
    return Limits(
        started=started,
        optimum_s=min(maximum, max(instant, optimum)),
        maximum_s=maximum,
        max_nodes=settings.max_nodes,
        max_depth=settings.max_depth,
    )


class Standing(Protocol):
    """What a running search tells about itself, as core.Searcher does."""

    @property
    def simulations(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def proof(self) -> int | None: ...
    @property
    def single(self) -> bool: ...
    def leaders(self) -> tuple[int, int, int, int]: ...


class Timer:
    """Says when a search is over, from its limits, from how it stands and from what other threads have asked for.

    `stop` and `shorten` may be called from any thread; a search looks every 10 ms at the latest. A request may take
    several searches (swap2): each has a timer of its own, which also ends when the one of the `whole` does.
    `now` is the clock that `limits.started` was read from.
    """

    def __init__(
        self, limits: Limits, whole: Timer | None = None, now: Callable[[], float] = time.perf_counter
    ) -> None:
        self.limits = limits
        """As they are now: `shorten` may have tightened them."""
        self._whole, self._now = whole, now
        self._stopped = False

    def stop(self) -> None:
        """End now; the best move so far is the answer."""
        self._stopped = True

    def shorten(self, limits: Limits) -> None:
        """Take over limits that end earlier than the present ones; later ones change nothing."""
        if limits.deadline < self.limits.deadline:
            self.limits = limits

    def part(self, until: float) -> Timer:
        """For a search that has to end after this part of the time."""
        limits = self.limits
        return self.within(replace(limits, optimum_s=until * limits.optimum_s, maximum_s=until * limits.maximum_s))

    def within(self, limits: Limits) -> Timer:
        """For a search with limits of its own."""
        return Timer(limits, self, self._now)

    @property
    def stopped(self) -> bool:
        return self._stopped or (self._whole is not None and self._whole.stopped)

    @property
    def deadline(self) -> float:
        """When the search must be over by the timer's clock, as things are now."""
        own = self.limits.deadline
        return own if self._whole is None else min(own, self._whole.deadline)

    @property
    def seconds(self) -> float:
        """Since the request came."""
        return self._now() - self.limits.started

    @property
    def left(self) -> float:
        """Seconds until the search must be over; negative after that."""
        return self.deadline - self._now()

    @property
    def expired(self) -> bool:
        """Stopped, or out of time?"""
        return self.stopped or self.left <= 0

    def nodes_left(self, standing: Standing) -> int:
        """Simulations until the node limit; at least one."""
        most = self.limits.max_nodes
        return max(1, most - standing.simulations) if most else 1 << 30

    def over(self, standing: Standing, lines: int = 1, doubtful: bool = False) -> bool:
        """Is there no time left, or no reason to use more of it?

        Where one line is wanted, a lead that nothing can overtake is a reason, and so is a move that is the only one;
        `doubtful`: even that one is looked at for a while.
        """
        limits = self.limits
        if self.expired or 0 < limits.max_nodes <= standing.simulations or 0 < limits.max_depth <= standing.depth:
            return True
        if standing.proof is not None:
            return True
        if lines > 1:
            return False
        if standing.single:
            looked = standing.simulations >= LEAST_LOOK and self.seconds >= EARLIEST_DECISION * limits.optimum_s
            return looked or not doubtful
        return self._decided(standing)

    def _decided(self, standing: Standing) -> bool:
        """Can the rest of the ordinary time no longer change the move, or is that time over without a doubt?"""
        limits, seconds = self.limits, self.seconds
        most_visited, visits, next_visits, best_valued = standing.leaders()
        if seconds >= limits.optimum_s:
            return most_visited == best_valued
        if seconds < EARLIEST_DECISION * limits.optimum_s:
            return False
        saving = limits.optimum_s < limits.maximum_s
        if saving and most_visited != best_valued:
            return False  # the kind of move that may take longer than others
        rest = standing.simulations / max(seconds, 1e-3) * (limits.optimum_s - seconds)
        return is_certain(visits, next_visits + rest, saving)
