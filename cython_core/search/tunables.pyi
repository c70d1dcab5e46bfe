"""The tunables of a search: each declared once, with meaning, default and range."""

from typing import NamedTuple

class Tunable(NamedTuple):
    """A number that may be changed for a search. Where the default is a whole number, every value is one."""

    default: float
    lowest: float
    highest: float
    meaning: str

TUNABLES: dict[str, Tunable]
DEFAULTS: dict[str, float]
"""Every tunable with its default."""
