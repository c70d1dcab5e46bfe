"""Numbers in the text of a manager."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def number(token: str) -> int | None:
    return int(token) if _NUMBER.fullmatch(token) else None


def numbers(text: str, count: int) -> tuple[int, ...] | None:
    """As many numbers as asked for, with commas between them; None when the text is anything else."""
    found = [number(token.strip()) for token in text.split(",")]
    if len(found) != count or None in found:
        return None
    return tuple(one for one in found if one is not None)


def entries(text: str) -> list[str]:
    """The entries of a list that share a line; blanks around commas do not part them."""
    return ",".join(part.strip() for part in text.split(",")).split()
