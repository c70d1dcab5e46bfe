"""A bar chart with error bars as SVG text, so that pictures for the README need no plotting library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

ROW, LEFT, WIDTH, TOP = 28, 110, 640, 36  # pixels


def bar_chart(title: str, rows: Sequence[tuple[str, float, float]]) -> str:
    """One bar per (name, value, half-width of its interval), from the lowest end of all intervals."""
    margins = [margin if math.isfinite(margin) else 0.0 for _, _, margin in rows]
    low = min((value - margin for (_, value, _), margin in zip(rows, margins, strict=True)), default=0.0)
    high = max((value + margin for (_, value, _), margin in zip(rows, margins, strict=True)), default=1.0)
    span = max(high - low, 1.0)
    low, high = low - 0.03 * span, high + 0.08 * span
    height = TOP + ROW * len(rows) + 12

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - 70) * (value - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="12" y="22" font-weight="bold">{escape(title)}</text>',
    ]
    for number, ((name, value, _), margin) in enumerate(zip(rows, margins, strict=True)):
        top, middle = TOP + ROW * number, TOP + ROW * number + ROW // 2
        parts += [
            f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LEFT}" y="{top + 5}" width="{max(x(value) - LEFT, 1):.1f}" height="{ROW - 10}" '
            f'fill="{"#2f6f4f" if number == 0 else "#8aa9b8"}"/>',
            f'<line x1="{x(value - margin):.1f}" x2="{x(value + margin):.1f}" y1="{middle}" y2="{middle}" '
            f'stroke="black"/>',
            f'<text x="{x(value + margin) + 6:.1f}" y="{middle + 4}">{value:+.0f} ± {margin:.0f}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])
