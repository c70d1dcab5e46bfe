"""Command line of the training: one sub-command per step from games to a shipped network.

Modules that need PyTorch are imported inside their command: `data`, `evaluate`, `selfplay`, `relabel`, `pit` and `book`
run without it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.puzzles import data_folder
from brain.book_file import BookError
from brain.weights import WeightsError
from training.blocks import KINDS
from training.commands import (
    RUNS,
    add_book,
    add_label,
    add_loop,
    add_pit,
    add_relabel,
    add_selfplay,
    add_status,
    run_book,
    run_label,
    run_loop,
    run_pit,
    run_relabel,
    run_selfplay,
    run_status,
    say,
)
from training.dataset import Sampling, open_set, pack
from training.files import alone_with
from training.games import GameError, game_files
from training.options import block_names, count, count_or_none, source_weight
from training.recipe import Recipe, add_recipe, recipe_of

LEARN_RECIPE = Recipe(steps=30000, batch=256, rate=3e-3)
TRUNKS = {"line": "sep,sep,pool,sep,sep", "residual": "res,res,res,res"}
"""Trunk blocks of each kind of network, unless others are asked for."""
EXTRAS = {"torch": "train", "onnx": "train", "threadpoolctl": "train", "onnxruntime": "cpu", "ray": "ray"}
"""Library -> the extra of this package that brings it."""
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "4000000000", "MALLOC_TRIM_THRESHOLD_": "8000000000",
             "MALLOC_TOP_PAD_": "500000000", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}  # fmt: skip
"""glibc gives large blocks back to the system and takes them again at every step, which doubles the time of a step; and
rows all over large matrices are found sooner in large pages."""


def add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", type=Path, help="game files, .txt or .txt.gz (default: RENGA_DATA/games)")
    parser.add_argument("--out", type=Path, default=RUNS / "data", help="folder to fill (default %(default)s)")


def run_data(options: argparse.Namespace) -> None:
    paths = options.games or game_files(data_folder())
    if not paths:
        raise GameError(f"no game files in {data_folder() / 'games'}; name some, or set RENGA_DATA")
    counts = pack(paths, options.out)
    print(f"{options.out}: {counts['games']} games, {counts['moves']} moves, {counts['policy']} policy entries, "
          f"{counts['proven']} wins proven by fours, {counts['cut']} games cut off before a foul")  # fmt: skip


def add_learn(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=RUNS / "data", help="packed data set (default %(default)s)")
    parser.add_argument("--run", type=Path, default=RUNS / "network",
                        help="folder of the run, resumed if it exists (default %(default)s)")  # fmt: skip
    parser.add_argument("--from", dest="start", type=Path, metavar="FILE.onnx", help="begin with an exported network")
    parser.add_argument("--threads", type=count, default=1, help="of PyTorch and of matrix products (default 1)")
    parser.add_argument("--kind", choices=tuple(TRUNKS), help="line (default), or residual: the comparison")
    parser.add_argument("--hidden", type=count, help="features of a window inside the line part (default 48, or as in "
                        "--from; a larger number makes that network grow)")  # fmt: skip
    parser.add_argument("--channels", type=count, help="features of a cell: width of table and trunk (default 48, or "
                        "as in --from; a larger number makes that network grow)")  # fmt: skip
    parser.add_argument("--blocks", type=block_names, help="trunk blocks: " + "; ".join(
        f"{name}: {kind.meaning}" for name, kind in KINDS.items()) + " (default " + "; ".join(
        f"{kind}: {blocks}" for kind, blocks in TRUNKS.items()) + "; or as in --from; more after those "
        "make that network grow)")  # fmt: skip
    add_recipe(parser, LEARN_RECIPE)
    parser.add_argument("--keep-every", type=count_or_none, default=0, metavar="STEPS", help="keep a "
                        "checkpoint every N steps, for `export --step` (default: the newest only)")  # fmt: skip
    parser.add_argument("--weight", type=source_weight, action="append", default=[], metavar="START=COPIES",
                        help="copies of positions of sources named so; repeatable, first match counts")  # fmt: skip


def run_learn(options: argparse.Namespace) -> None:
    from training.export import learned_rules, load_exported, network_id
    from training.grow import grown
    from training.kernels import use_threads
    from training.learn import Trainer
    from training.network import Shape

    if options.start is not None and options.kind:
        raise GameError("--kind does not go with --from: that network has its own")
    use_threads(options.threads)
    data = open_set(options.data)
    start, metadata = load_exported(options.start) if options.start is not None else (None, {})
    sizes = {"hidden": options.hidden, "channels": options.channels, "blocks": options.blocks}
    given = {name: value for name, value in sizes.items() if value is not None}
    kind = options.kind or "line"
    shape = replace(start.shape if start is not None else Shape(kind, blocks=TRUNKS[kind]), **given)
    recipe = recipe_of(options, LEARN_RECIPE)
    sampling = replace(Sampling(), weights=(*options.weight, *Sampling().weights))
    options.run.mkdir(parents=True, exist_ok=True)
    start_id = network_id(start) if start is not None else ""
    with alone_with(options.run):
        trainer = Trainer(options.run, data, shape, recipe, sampling, start_id, learned_rules(metadata))
        if trainer.resume():
            say(f"resumed at step {trainer.step}")
        elif start is not None:
            trainer.begin_with(grown(start, shape))
        trainer.run(report=say, keep_every=options.keep_every)


def add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", type=Path, default=RUNS / "network", help="folder of the run (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RUNS / "network.onnx",
                        help="full graph, the others beside it (default %(default)s)")  # fmt: skip
    parser.add_argument("--last", action="store_true", help="the newest weights instead of their average")
    parser.add_argument("--step", type=count, help="the checkpoint that `learn --keep-every` kept of this step")
    parser.add_argument("--data", type=Path, default=data_folder(),
                        help="its games/ give the accuracy in the model card (default: RENGA_DATA)")  # fmt: skip
    parser.add_argument("--notes", type=Path, metavar="FILE.md", help="what the model card shall say beside "
                        "its figures: table rows and text (default: strength not measured)")  # fmt: skip


def run_export(options: argparse.Namespace) -> None:
    from training.card import card_text, provenance_of
    from training.export import export, facts_of, network_of
    from training.learn import CHECKPOINT, kept_checkpoint, load_checkpoint

    try:
        notes = options.notes.read_text(encoding="utf-8") if options.notes is not None else ""
    except UnicodeDecodeError as error:
        raise GameError(f"{options.notes}: not a text file: {error}") from error
    state = load_checkpoint(kept_checkpoint(options.run, options.step) if options.step else options.run / CHECKPOINT)
    path = export(
        network_of(state, options.last), options.out, facts_of(state),
        lambda file: card_text(file, options.data, provenance_of(state), notes),
    )  # fmt: skip
    print(f"{path} {path.stat().st_size} bytes")


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", type=Path, help="game files, .txt or .gz")
    parser.add_argument("--network", type=Path, help="full graph of the network (default: the shipped one)")
    parser.add_argument("--puzzles", type=Path, action="append", default=[], help="puzzle file (.tsv)")
    parser.add_argument("--all", action="store_true", help="all games, not only those held out from training")
    parser.add_argument("--limit", type=count_or_none, default=0, help="stop after about N positions of a file "
                        "(default 0: all)")  # fmt: skip


def run_evaluate(options: argparse.Namespace) -> None:
    from brain.onnx_evaluator import OnnxEvaluator
    from training.evaluate import evaluate_games, evaluate_puzzles

    if not options.games and not options.puzzles:
        raise GameError("name game files, or puzzles with --puzzles FILE")
    evaluator = OnnxEvaluator.load(0, options.network)
    for path in options.games:
        scores = evaluate_games(evaluator, path, not options.all, options.limit)
        if not scores.positions:
            raise GameError(f"{path}: no positions; without --all only those of held-out games are taken")
        print("\n".join([path.name, *scores.lines()]), flush=True)
    for path in options.puzzles:
        solved = evaluate_puzzles(evaluator, path, options.limit)
        if not solved.puzzles:
            raise GameError(f"{path}: none of its puzzles has an answer")
        print("\n".join([path.name, *solved.lines()]), flush=True)


COMMANDS = {
    "data": ("check game files and pack them for training", add_data, run_data),
    "learn": ("train a network; resumes a run that was interrupted", add_learn, run_learn),
    "export": ("write a run's averaged network as ONNX, with its model card", add_export, run_export),
    "evaluate": ("measure a network on held-out games and puzzles", add_evaluate, run_evaluate),
    "selfplay": ("games of a network against itself, with search policies", add_selfplay, run_selfplay),
    "relabel": ("search the positions of recorded games for policies and values", add_relabel, run_relabel),
    "label": ("own positions and what long searches say of them, to measure networks with", add_label, run_label),
    "pit": ("networks against each other: promote, discard, or rank", add_pit, run_pit),
    "book": ("grow the opening book by own search", add_book, run_book),
    "loop": ("self-play and learning side by side, network after network", add_loop, run_loop),
    "status": ("where a loop is, as text and as one picture", add_status, run_status),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (help_text, add, _) in COMMANDS.items():
        add(commands.add_parser(name, help=help_text, description=help_text))
    options = parser.parse_args(arguments)
    try:
        COMMANDS[options.command][2](options)
    except (BookError, GameError, WeightsError, OSError, RuntimeError) as error:
        print(f"{options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{options.command}: interrupted", file=sys.stderr)
        return 130
    except ImportError as error:
        if error.name not in EXTRAS:
            raise
        print(f"{options.command}: {error}; it comes with the extra `{EXTRAS[error.name]}`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] in (["learn"], ["loop"]) and sys.platform == "linux" and not ALLOCATOR.keys() <= os.environ.keys():
        os.execve(sys.executable, [sys.executable, "-m", "training", *sys.argv[1:]], {**ALLOCATOR, **os.environ})
    sys.exit(main())
