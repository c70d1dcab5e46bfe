"""Where a loop is, for people: a few lines of text, and one picture with its curves. Needs no PyTorch."""

from __future__ import annotations

import time
from pathlib import Path

from training import history
from training.cycles import last_cycle
from training.files import replacing
from training.games import GameError
from training.history import Entry
from training.window import segments

NAMES = 8
"""Letters of a network's id in a table."""


def status_lines(folder: Path, past: Path) -> list[str]:
    """What there is to say; GameError if there is no loop."""
    entries = history.read(past)
    if not entries:
        raise GameError(f"{past}: no history; `python -m training loop` begins one")
    playing = next((entry for entry in reversed(entries) if entry.playing), entries[0])
    newest = entries[-1]
    return [
        f"network {playing.number} ({playing.network}) plays; {len(entries) - 1} made in {newest.hours:.1f} hours from "
        f"{newest.games} games and {newest.positions} positions seen",
        *table(entries),
        *by_rule(next((entry for entry in reversed(entries) if entry.play), newest)),
        *present(folder, newest),
    ]


def table(entries: list[Entry]) -> list[str]:
    """A line for each network, under the Elo of the opponents it was measured against."""
    opponents = list(dict.fromkeys(name for entry in entries for name in entry.elo))
    head = "  no  network   plays  hours   games   window  policy  value  length  black  draws  overruled  "
    lines = [head + "  ".join(f"Elo against {name[:NAMES]:8}" for name in opponents)]
    for entry in entries[1:]:
        went, fresh = entry.play.get("all", {}), entry.fresh
        elo = "  ".join(
            "{1:+6.0f} [{0:+.0f}, {2:+.0f}]".format(*entry.elo[name]) if name in entry.elo else " " * 20
            for name in opponents
        )
        lines.append(
            f"{entry.number:4}  {entry.network[:NAMES]:8}  {'yes' if entry.playing else 'no':5}  {entry.hours:5.1f}  "
            f"{entry.games:6}  {entry.window:7}  {number(fresh, 'policy', '6.3f')}  {number(fresh, 'value', '5.3f')}  "
            f"{number(went, 'length', '6.1f')}  {number(went, 'black', '5.0%')}  {number(went, 'draws', '5.0%')}  "
            f"{number(went, 'overruled', '9.0%')}  {elo}".rstrip()
        )
    return lines


def number(of: dict[str, float], name: str, form: str) -> str:
    """A number of a table, or room for it."""
    return format(of[name], form) if name in of else " " * int(form.partition(".")[0])


def by_rule(entry: Entry) -> list[str]:
    return [
        f"  {rule}: {went['games']:.0f} games of {went['length']:.0f} moves, black {went['black']:.0%}, white "
        f"{went['white']:.0%}, drawn {went['draws']:.0%}, overruled {went['overruled']:.0%}"
        for rule, went in entry.play.items()
        if rule != "all"
    ]


def present(folder: Path, newest: Entry) -> list[str]:
    """What is going on in the folder of the loop, where that is on this machine."""
    lines = []
    cycle = last_cycle(folder)
    if cycle is not None and cycle.number > newest.number:
        window = f"{len(cycle.segments)} segments of games"
        lines.append(f"network {cycle.number} is being made from {cycle.start} and {window}")
    found = segments(folder)
    if found:
        lines.append(f"{len(found)} segments of games, the newest {found[-1].name}, {age(found[-1])} old")
    told = folder / "now.txt"
    if told.exists():
        text = told.read_text(encoding="utf-8", errors="replace").strip()
        lines.append(f"{age(told)} ago: {text}")
    return lines


def age(path: Path) -> str:
    minutes = max(0.0, time.time() - path.stat().st_mtime) / 60
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"


def draw(past: Path, picture: Path) -> bool:
    """The curves over the hours; False where there is no matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    entries = history.read(past)
    rules = list(dict.fromkeys(rule for entry in entries for rule in entry.play))
    figure, axes = pyplot.subplots(2, 4, figsize=(20, 9))
    panels = axes.flat
    for name in dict.fromkeys(name for entry in entries for name in entry.elo):
        known = [(entry.hours, *entry.elo[name][:3]) for entry in entries if name in entry.elo]
        hours, low, best, high = zip(*known, strict=True)
        spread = [[b - a for a, b in zip(low, best, strict=True)], [b - a for a, b in zip(best, high, strict=True)]]
        panels[0].errorbar(hours, best, yerr=spread, marker=".", capsize=2, label=f"against {name[:NAMES]}")
    panels[0].set_title("Elo, 95 %")
    for panel, key in zip(panels[1:3], ("policy", "value"), strict=True):
        points = [(entry.hours, entry.fresh[key]) for entry in entries if key in entry.fresh]
        panel.plot(*zip(*points, strict=True) if points else ([], []), marker=".")
        panel.set_title(f"{key} loss on fresh games")
    for panel, key in zip(panels[3:], ("length", "black", "draws", "overruled", "games"), strict=True):
        for rule in rules:
            points = [(entry.hours, entry.play[rule][key]) for entry in entries if key in entry.play.get(rule, {})]
            panel.plot(*zip(*points, strict=True) if points else ([], []), marker=".", label=rule,
                       linewidth=2.5 if rule == "all" else 1)  # fmt: skip
        panel.set_title({"length": "game length", "black": "black's wins", "draws": "draws", "games": "new games",
                         "overruled": "searches that overrule the prior"}[key])  # fmt: skip
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.set_xlabel("hours")
    for panel in (panels[0], panels[3]):
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=7)
    figure.tight_layout()
    with replacing(picture) as part:
        figure.savefig(part, dpi=70, format="png")
    pyplot.close(figure)
    return True
