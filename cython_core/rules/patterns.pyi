"""Shape and class tables: what a stone on a cell makes along one line, and along all four."""

def shape_at(rule: int, colour: int, window: int) -> int:
    """Shape (number) of a window for a colour under a rule: the table's own word, for tests and tools."""
