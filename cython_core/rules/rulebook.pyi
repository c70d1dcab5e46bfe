"""The rules, each described once."""

from typing import NamedTuple

FREESTYLE: int
STANDARD: int
RENJU: int
CARO_OVERLINE: int
CARO: int

class Rule(NamedTuple):
    """What distinguishes a rule; five in a row wins under all of them, as far as the traits do not say otherwise."""

    number: int
    """As managers write it."""
    name: str
    overline_wins: tuple[bool, bool]
    """Of black and of white: six or more in a row win. Otherwise a five must be exact."""
    blocked_ends: bool
    """A five with an opposing stone at both ends does not win."""
    fouls: bool
    """Black may not make an overline, two fours or two open threes."""
    @property
    def same_for_both(self) -> bool:
        """Does black win with the same lines as white, and may it play the same moves?"""

RULE_BOOK: dict[int, Rule]
"""Every rule by its number."""
