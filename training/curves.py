"""Curves of a run as CSV and PNG, and the progress line with the time still needed."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path

from training.files import replacing

PANELS = {
    "policy loss": "policy", "value loss": "value", "top-1": "top1", "top-5": "top5",
    "policy entropy": "entropy", "squared value error": "value_error", "game length": "game_length",
    "learning rate": "rate",
}  # fmt: skip


class Curve:
    """Rows of numbers by step; a column is the training mean, `source.column` the held-out value of a source."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []

    def add(self, row: dict[str, float]) -> None:
        self.rows.append(row)

    def write(self, folder: Path, picture: bool) -> None:
        """curves.csv, and with `picture` curves.png where matplotlib is installed."""
        if not self.rows:
            return
        columns = list(dict.fromkeys(key for row in self.rows for key in row))
        with replacing(folder / "curves.csv") as part, part.open("w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(self.rows)
        if not picture:
            return
        try:
            import matplotlib
        except ImportError:
            return
        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(2, 4, figsize=(18, 8))
        for panel, (title, name) in zip(axes.flat, PANELS.items(), strict=True):
            for column in columns:
                if column.rpartition(".")[2] == name:
                    points = [(row["step"], row[column]) for row in self.rows if column in row]
                    panel.plot(*zip(*points, strict=True), label=column.rpartition(".")[0] or "training")
            panel.set_title(title)
            panel.grid(alpha=0.3)
        axes.flat[0].legend(fontsize=7)
        figure.tight_layout()
        with replacing(folder / "curves.png") as part:
            figure.savefig(part, dpi=70, format="png")
        pyplot.close(figure)


class Progress:
    """One line every few seconds: share done, time needed, speed and the running means."""

    def __init__(self, positions: int, report: Callable[[str], None], every: float = 10.0) -> None:
        self.first, self.report, self.every = positions, report, every
        self.begin = self.last = time.monotonic()
        self.share: float | None = None

    def show(self, step: int, share: float, positions: int, means: dict[str, float]) -> None:
        now = time.monotonic()
        if self.share is None:
            self.share = share
        if now - self.last < self.every:
            return
        self.last = now
        done, elapsed = share - self.share, now - self.begin
        left = elapsed * (1 - share) / done if done > 0 else 0.0
        bar = "#" * int(20 * share)
        self.report(
            f"[{bar:<20}] {share:6.1%}  eta {int(left) // 60:3d}:{int(left) % 60:02d}  step {step}  "
            f"{(positions - self.first) / elapsed:.0f} positions/s  "
            + "  ".join(f"{key} {value:.3f}" for key, value in means.items())
        )
