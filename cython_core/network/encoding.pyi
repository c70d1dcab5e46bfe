"""How a position is written down for a network: windows, variants and planes."""

WINDOW_ROWS: int
WINDOW_REACH: int
"""Cells a window shows on each side of its centre."""
VARIANTS: int
"""Number of variants: one per rule, two for renju by the side to move."""
PLANES: int
"""Inputs of the whole network: own, other, empty; then one plane per variant, ones for the position's."""
PLANE_CONTENTS: tuple[int, int, int]
"""What the first planes show, in the numbers of boards of 0 empty, 1 own, 2 other."""
LINE_LIMIT: float
"""Line features are cut off here, by the network's definition."""
STEPS: tuple[tuple[int, int], ...]
"""(dx, dy) of the four directions; the left side of a window lies against the step."""

def variant(rule: int, side: int) -> int:
    """Which line table and which variant plane a position of the rule with this side to move uses."""
