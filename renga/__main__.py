"""The command `renga`: `python -m renga`, for people and scripts. `renga.commands` has the commands."""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys

from brain import __version__

COMMANDS = {
    "analyse": ("renga.commands.analyse", "the best moves of a position"),
    "solve": ("renga.commands.solve", "a forced win of the side to move"),
    "verify": ("renga.commands.verify", "does a certificate prove its win?"),
    "play": ("renga.commands.play", "a game in the terminal"),
    "board": ("renga.web.command", "the board in the browser"),
    "selftest": ("renga.commands.selftest", "is this copy in order on this machine?"),
}
BRAIN = "brain"


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; returns its exit code (`renga.commands` says what they mean)."""
    multiprocessing.freeze_support()
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == [BRAIN]:
        return _brain(arguments[1:])
    options = _parser(arguments[0] if arguments else "").parse_args(arguments)
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except ValueError as error:
        print(f"renga {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more when it ends
        return 141
    except OSError as error:
        reason = error if error.filename is None else f"{error.filename}: {error.strerror}"
        print(f"renga {options.command}: {reason}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"renga {options.command}: interrupted", file=sys.stderr)
        return 130


def _brain(arguments: list[str]) -> int:
    from brain.__main__ import main as brain_main

    if "--proofs" not in arguments:
        return brain_main(arguments)
    from renga.proving_brain import ProvingThinker, folder_of

    try:
        folder = folder_of(arguments)
    except ValueError as error:
        print(f"renga {BRAIN}: {error}", file=sys.stderr)
        return 2
    return brain_main(arguments, lambda say, network: ProvingThinker(say, network, folder))


def _parser(chosen: str) -> argparse.ArgumentParser:
    """Every command has a line; only the module of the chosen one is imported."""
    parser = argparse.ArgumentParser(prog="renga", description="Renga plays, analyses and solves five in a row.")
    parser.add_argument("--version", action="version", version=f"Renga {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module_name, help_text) in COMMANDS.items():
        command = commands.add_parser(name, help=help_text, description=help_text.capitalize())
        if name == chosen:
            try:
                module = importlib.import_module(module_name)
            except ModuleNotFoundError:
                # Lean packages leave the board out.
                parser.error(f"this copy of Renga has no '{name}'")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    commands.add_parser(BRAIN, help="the brain for Piskvork and other managers, the same as pbrain-renga")
    return parser


if __name__ == "__main__":
    sys.exit(main())
