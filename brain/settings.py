"""What the manager has told us with INFO: one immutable record, each key declared once.

Owns the meaning, range and default of every key. Knows no clock policy (clock.py) and no engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from brain.notation import Notation
from brain.records import DEFAULT_MEMORY, Resources
from cython_core import CARO, CARO_OVERLINE, FREESTYLE, RENJU, STANDARD

UNLIMITED_MS = 2**31 - 1
"""From here on a number of milliseconds means "no limit" to every known manager."""

EXACT_FIVE_BIT, CONTINUOUS_BIT, RENJU_BIT, CARO_BIT = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything INFO can set; defaults are what holds when the manager never says."""

    turn_ms: int = 30_000
    """Milliseconds for one move; 0 = play at once."""
    match_ms: int = 0
    """Milliseconds for the whole match; 0 = no limit."""
    left_ms: int | None = None
    """Milliseconds left in the match as the manager last said; may be negative; None = never said."""
    memory: int = DEFAULT_MEMORY
    """Bytes this process may hold privately."""
    rule_mask: int = 0
    """The rule as sent; `rule` is what it means."""
    threads: int = 1
    """Search threads."""
    max_nodes: int = 0
    """Simulations for one move; 0 = no limit."""
    max_depth: int = 0
    """Plies below the root; 0 = no limit."""
    hash_kb: int = 0
    """Kilobytes for the search tables, within `memory`; 0 = as much as fits."""
    show_detail: int = 0
    """From 2 on INFO and REALTIME lines for analysis boards."""
    use_database: int = 0
    """1: the search uses the open database, and fills it."""
    database_readonly: int = 0
    """1: ...and does not fill it."""
    book: int = 1
    """0: no moves from the opening book."""
    coordinates: str = ""
    """`letters` or `numbers`, for people; empty = as the manager shows them, as far as it can be told."""
    game_type: int | None = None
    """Who plays, as managers of the Piskvork family say; None = no such manager has spoken."""
    yixin: bool = False
    """True once the manager has shown that it is of the Yixin family (a YX command, --force-utf8)."""
    yixin_board: bool = False
    """...and that it is Yixin-Board itself, which means row,column by x,y."""

    def resources(self, cores: int) -> Resources:
        """What a search may use on a machine with this many cores."""
        return Resources(self.memory, min(self.threads, cores), self.hash_kb << 10)

    @property
    def notation(self) -> Notation:
        """Cells as people see them on their board. Piskvork and qpiskvork number them from the top left corner, and
        only that family says the type of the game; everybody else has letters and rows from the bottom."""
        piskvork = self.game_type is not None and not self.yixin
        numbers = self.coordinates == "numbers" or (not self.coordinates and piskvork)
        return Notation(numbers, transposed=self.yixin_board)

    @property
    def rule(self) -> int:
        """The core's rule. A continuous game is played on as the same rule without its bit;
        the Yixin family means renju by 2."""
        if self.rule_mask & RENJU_BIT or (self.yixin and self.rule_mask == CONTINUOUS_BIT):
            return RENJU
        exact = self.rule_mask & EXACT_FIVE_BIT
        if self.rule_mask & CARO_BIT:
            return CARO if exact else CARO_OVERLINE
        return STANDARD if exact else FREESTYLE


_NUMBER = re.compile(r"[+-]?[0-9]{1,24}")
"""Longer than any 64-bit number."""


def _whole(text: str) -> int:
    """An INFO value as a whole number; ValueError if it is not one."""
    if not _NUMBER.fullmatch(text):  # int() would take 1_5, and take its time for a million digits
        raise ValueError(text)
    return int(text)


def _at_least_zero(text: str) -> int:
    number = _whole(text)
    if number < 0:
        raise ValueError(text)
    return number


def _limit_of_a_turn(text: str) -> int:
    return min(_at_least_zero(text), UNLIMITED_MS)  # nobody can wait for longer, least of all a lock


def _unlimited_if_negative(text: str) -> int:
    return max(0, _whole(text))


def _memory(text: str) -> int:
    return _at_least_zero(text) or DEFAULT_MEMORY


def _threads(text: str) -> int:
    number = _whole(text)
    if number < 1:
        raise ValueError(text)
    return min(number, 256)


def _rule(text: str) -> int:
    mask = _at_least_zero(text)
    if mask > 15 or mask & (RENJU_BIT | CARO_BIT) == RENJU_BIT | CARO_BIT:
        raise ValueError(text)
    return mask


def _coordinates(text: str) -> str:
    if text.lower() not in ("letters", "numbers"):
        raise ValueError(text)
    return text.lower()


Parse = Callable[[str], int | str]

KEYS: dict[str, tuple[str, Parse]] = {
    "timeout_turn": ("turn_ms", _limit_of_a_turn),
    "timeout_match": ("match_ms", _at_least_zero),
    "time_left": ("left_ms", _whole),
    "max_memory": ("memory", _memory),
    "rule": ("rule_mask", _rule),
    "thread_num": ("threads", _threads),
    "max_node": ("max_nodes", _unlimited_if_negative),
    "max_depth": ("max_depth", _unlimited_if_negative),
    "hash_size": ("hash_kb", _at_least_zero),
    "show_detail": ("show_detail", _at_least_zero),
    "usedatabase": ("use_database", _at_least_zero),
    "database_readonly": ("database_readonly", _at_least_zero),
    "book": ("book", _at_least_zero),
    "coordinates": ("coordinates", _coordinates),
    "game_type": ("game_type", _at_least_zero),
}
"""INFO key -> field and reader. Other keys (folder, evaluate, pondering, ...) change nothing."""


def informed(settings: Settings, key: str, value: str) -> Settings:
    """The settings after `INFO key value`. An unknown key or an unreadable value changes nothing:
    INFO is never answered, so there is nobody to complain to."""
    entry = KEYS.get(key.lower())
    if entry is None:
        return settings
    field, read = entry
    try:
        return replace(settings, **{field: read(value)})  # type: ignore[arg-type]
    except ValueError:
        return settings
