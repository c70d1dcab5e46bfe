"""`python -m bench report`: docs/strength.md from the results in docs/results, so that no figure is typed by hand.

Games are played into `runs/`, which no clone has; what counts of them is kept in docs/results (see outcomes.py), and a
run whose file is lost goes on from there. With `--measure` every measurement that is missing is taken first, which
needs hours on an idle machine and may be stopped and resumed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import ladder
from bench.match import summarise_records
from bench.notation import RULE_NAMES
from bench.outcomes import expand, keep, restore
from bench.puzzles import data_folder
from bench.speed import show

ROOT = Path(__file__).resolve().parent.parent
RUNS = ("ladder*", "match-*")  # kinds of runs that are kept
PUZZLES = {"vcf_freestyle15": 100_000, "no_vcf_freestyle15": 100_000, "vct_black15": 200_000}  # nodes each


def measure(runs: Path, results: Path, workers: int) -> int:
    """Takes the measurements that have no result yet, the quick ones first; the worst of their exit codes."""
    from bench.__main__ import main as bench

    codes = [0]

    def play(name: str, *plan: str) -> None:
        run, kept = runs / f"{name}.jsonl", results / f"{name}.json"
        codes.append(bench([*plan, "--workers", str(workers), "--out", str(run)]))
        if codes[-1]:
            print(
                f"bench report: {name} was not finished; if its games are of another engine or network, "
                f"remove {run} and {kept} to measure anew",
                file=sys.stderr,
            )

    if not (results / "speed.json").exists():
        codes.append(bench(["speed", "--json", str(results / "speed.json")]))
    for name, nodes in PUZZLES.items():
        file, out = data_folder() / "puzzles" / f"{name}.tsv", results / f"tactics-{name}.json"
        if file.exists() and not out.exists():
            codes.append(bench(["tactics", str(file), "--nodes", str(nodes), "--json", str(out)]))
    for size in (15, 20):
        players = ["@renga", "@renga:network=off", "--names", "network", "shapes"]
        plan = ["--size", str(size), "--games", "200", "--turn-ms", "1000"]
        play(f"match-network-{size}", "match", *players, *plan)
    play("ladder-s4", "ladder", "--format", "s4", "--turn-ms", "300", "--renga-turn-ms", "300")
    play("ladder", "ladder")
    return max(codes)


def ladder_section(data: dict[str, Any], title: str, picture: str) -> Iterator[str]:
    header, records = data["header"], expand(data)
    players = [ladder.RENGA, *header["players"]]
    plan, (width, height) = header["plan"], header["size"]
    yield f"## {title}"
    yield ""
    yield (
        f"{len(records)} games, {RULE_NAMES[header['rule']]} {width}x{height}, "
        f"{plan['turn_ms']} ms a move between the others and {plan['renga_turn_ms']} ms with Renga, one core, "
        + (f"a draw after {plan['draw_after']} plies, " if plan["draw_after"] else "")
        + f"on {header['machine']}, revision {', '.join(data['revisions'])}. "
        "A cell is the row's score against the column in percent; intervals are 95 %."
    )
    yield ""
    yield ladder.markdown(records, players)
    if picture:
        yield f"![Ratings]({picture})"
        yield ""


def limit_of(control: dict[str, Any]) -> str:
    return f"{control['nodes']} nodes" if control["nodes"] else str(control["turn_ms"])


def matches_section(matches: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Matches"
    yield ""
    yield "Paired games on one core each; the score is the first player's, intervals are 95 %."
    yield ""
    yield "| first | second | board | ms a move | games | won, drawn, lost | score | Elo | revision |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for data in matches:
        header, records = data["header"], expand(data)
        (first, first_spec), (_, second_spec) = header["players"].items()
        summary, (width, height) = summarise_records(records, first), header["size"]
        low, best, high = summary.elo_interval()
        yield (
            f"| `{first_spec}` | `{second_spec}` | {RULE_NAMES[header['rule']]} {width}x{height} "
            f"| {limit_of(header['control'])} | {summary.games} | {summary.wins}, {summary.draws}, {summary.losses} "
            f"| {100 * summary.score:.1f} % | {best:+.0f} [{low:+.0f}, {high:+.0f}] "
            f"| {', '.join(data['revisions'])} |"
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


def compose(results: Path) -> str:
    """The whole page, from whatever results there are."""
    data = {path.stem: json.loads(path.read_text()) for path in sorted(results.glob("*.json"))}
    lines = [
        "# Strength",
        "",
        "Written by `python -m bench report`; how each figure is taken is told in [measuring.md](measuring.md).",
        "",
    ]
    if (results / "note.txt").exists():
        lines += [(results / "note.txt").read_text().strip(), ""]
    if "ladder" in data:
        lines += ladder_section(data["ladder"], "Ladder", "ladder.svg")
        lines += [f"- **{name}**: {text}" for name, text in ladder.DESCRIPTIONS.items()] + [""]
    if "ladder-s4" in data:
        lines += ladder_section(data["ladder-s4"], "S4's tournament", "")
    if matches := [found for name, found in data.items() if name.startswith("match-")]:
        lines += matches_section(matches)
    if tactics := [found for name, found in data.items() if name.startswith("tactics-")]:
        lines += tactics_section(tactics)
    if "speed" in data:
        lines += speed_section(data["speed"])
    return "\n".join(lines).rstrip() + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--measure", action="store_true", help="take missing measurements first")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where games are played into")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where strength.md and results/ are")


def main(options: argparse.Namespace) -> int:
    results = options.docs / "results"
    results.mkdir(parents=True, exist_ok=True)
    for kind in RUNS:
        for kept in results.glob(f"{kind}.json"):
            if not (run := options.runs / f"{kept.stem}.jsonl").exists():
                restore(kept, run)
    code = measure(options.runs, results, options.workers) if options.measure else 0
    for kind in RUNS:
        for run in options.runs.glob(f"{kind}.jsonl"):
            keep(run, results / f"{run.stem}.json")
    (options.docs / "strength.md").write_text(compose(results))
    if (results / "ladder.json").exists():
        data = json.loads((results / "ladder.json").read_text())
        (options.docs / "ladder.svg").write_text(
            ladder.chart(expand(data), [ladder.RENGA, *data["header"]["players"]])
        )
    return code
