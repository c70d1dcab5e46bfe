"""`python -m bench report`: docs/strength.md from the result files, so that no figure in it is typed by hand.

With `--measure` it first takes every measurement that is missing, which needs hours on an idle machine and
may be stopped and resumed.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import ladder
from bench.match import summarise_records
from bench.notation import RULE_NAMES
from bench.records import read_results
from bench.speed import show

ROOT = Path(__file__).resolve().parent.parent
PUZZLES = {"vcf_freestyle15": 100_000, "no_vcf_freestyle15": 100_000, "vct_black15": 200_000}  # nodes each


def data_folder() -> Path:
    return Path(os.environ.get("RENGA_DATA", ROOT.parent / "shared" / "data"))


def measure(runs: Path, docs: Path, workers: int) -> None:
    """Takes the measurements that have no result yet, the quick ones first."""
    from bench.__main__ import main as bench

    if not (runs / "speed.json").exists():
        bench(["speed", "--json", str(runs / "speed.json")])
    for name, nodes in PUZZLES.items():
        file, out = data_folder() / "puzzles" / f"{name}.tsv", runs / f"tactics-{name}.json"
        if file.exists() and not out.exists():
            bench(["tactics", str(file), "--nodes", str(nodes), "--json", str(out)])
    for size in (15, 20):
        players = ["@renga", "@renga:network=off", "--names", "network", "shapes"]
        out = runs / f"match-network-{size}.jsonl"
        plan = ["--size", str(size), "--games", "200", "--turn-ms", "1000", "--workers", str(workers)]
        bench(["match", *players, *plan, "--out", str(out)])
    common = ["ladder", "--workers", str(workers)]
    short = ["--format", "s4", "--turn-ms", "1000", "--renga-turn-ms", "1000"]
    bench([*common, *short, "--out", str(runs / "ladder-s4.jsonl")])
    bench([*common, "--out", str(runs / "ladder.jsonl"), "--svg", str(docs / "ladder.svg")])


def ladder_section(path: Path, title: str, picture: str) -> Iterator[str]:
    header, records = read_results(path)
    players = [ladder.RENGA, *header["players"]]
    plan, (width, height) = header["plan"], header["size"]
    yield f"## {title}"
    yield ""
    yield (
        f"{len(records)} games, {RULE_NAMES[header['rule']]} {width}x{height}, "
        f"{plan['turn_ms']} ms a move between the others and {plan['renga_turn_ms']} ms with Renga, one core, "
        + (f"a draw after {plan['draw_after']} plies, " if plan["draw_after"] else "")
        + f"on {header['machine']}. A cell is the row's score against the column in percent; intervals are 95 %."
    )
    yield ""
    yield ladder.markdown(records, players)
    if picture:
        yield f"![Ratings]({picture})"
        yield ""


def matches_section(paths: list[Path]) -> Iterator[str]:
    yield "## Matches"
    yield ""
    yield "Paired games on one core each; the score is the first player's, intervals are 95 %."
    yield ""
    yield "| first | second | board | ms a move | games | won, drawn, lost | score | Elo |"
    yield "|---|---|---|---|---|---|---|---|"
    for path in paths:
        header, records = read_results(path)
        (first, first_spec), (_, second_spec) = header["players"].items()
        summary, (width, height) = summarise_records(records, first), header["size"]
        low, best, high = summary.elo_interval()
        yield (
            f"| `{first_spec}` | `{second_spec}` | {RULE_NAMES[header['rule']]} {width}x{height} "
            f"| {header['control']['turn_ms']} | {summary.games} | {summary.wins}, {summary.draws}, {summary.losses} "
            f"| {100 * summary.score:.1f} % | {best:+.0f} [{low:+.0f}, {high:+.0f}] |"
        )
    yield ""


def tactics_section(files: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Tactics"
    yield ""
    yield "Threat solvers alone; every claimed win is replayed by the slow reference (`bench/reference.py`)."
    yield ""
    yield "| file | limit | puzzles | solved | wrong | unsolved | refuted | time |"
    yield "|---|---|---|---|---|---|---|---|"
    for f in files:
        rate = 100 * f["solved"] / max(f["puzzles"], 1)
        yield (
            f"| {f['file']} ({f['rule']}) | {f['limit']} | {f['puzzles']} | {f['solved']} ({rate:.1f} %) "
            f"| {f['wrong']} | {f['unsolved']} | {f['refuted']} | {f['seconds']:.1f} s |"
        )
    yield ""
    yield "Refuted: the file says there is no win, and the replay of the one we found proves that there is."
    yield ""


def speed_section(data: dict[str, Any]) -> Iterator[str]:
    yield "## Speed"
    yield ""
    yield f"{data['machine']}. Medians; one thread."
    yield ""
    yield "| component | median | best |"
    yield "|---|---|---|"
    for m in data["measurements"]:
        yield f"| {m['name']} | {show(m['median'], m['unit'])} | {show(m['best'], m['unit'])} |"
    yield ""
    yield "Signature: " + ", ".join(f"{name} {number}" for name, number in data["signature"].items()) + "."
    yield ""


def compose(runs: Path, note: str = "") -> str:
    """The whole page, from whatever results there are."""
    lines = [
        "# Strength",
        "",
        "Written by `python -m bench report`; how each figure is taken is told in [measuring.md](measuring.md).",
        "",
    ]
    lines += [note, ""] if note else []
    if (runs / "ladder.jsonl").exists():
        lines += ladder_section(runs / "ladder.jsonl", "Ladder", "ladder.svg")
        lines += [f"- **{name}**: {text}" for name, text in ladder.DESCRIPTIONS.items()] + [""]
    if (runs / "ladder-s4.jsonl").exists():
        lines += ladder_section(runs / "ladder-s4.jsonl", "S4's tournament", "")
    matches = sorted(runs.glob("match-*.jsonl"))
    if matches:
        lines += matches_section(matches)
    tactics = [json.loads(path.read_text()) for path in sorted(runs.glob("tactics-*.json"))]
    if tactics:
        lines += tactics_section(tactics)
    if (runs / "speed.json").exists():
        lines += speed_section(json.loads((runs / "speed.json").read_text()))
    return "\n".join(lines).rstrip() + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--measure", action="store_true", help="take missing measurements first")
    parser.add_argument("--note", default="", help="a sentence for the top of the page")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the results are")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where strength.md goes")


def main(options: argparse.Namespace) -> int:
    options.docs.mkdir(parents=True, exist_ok=True)
    if options.measure:
        measure(options.runs, options.docs, options.workers)
    (options.docs / "strength.md").write_text(compose(options.runs, options.note))
    if (options.runs / "ladder.jsonl").exists():
        header, records = read_results(options.runs / "ladder.jsonl")
        (options.docs / "ladder.svg").write_text(ladder.chart(records, [ladder.RENGA, *header["players"]]))
    return 0
