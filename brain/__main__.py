"""Wiring and command line: `python -m brain`, installed as `pbrain-renga`."""

from __future__ import annotations

import os
import sys
from typing import IO

from brain import __version__
from brain.loop import Loop

HELP = """\
usage: pbrain-renga [--log FILE] [--strict] [--selftest] [--help] [--version]

Renga, a five-in-a-row brain. It speaks the Piskvork protocol on stdin and stdout; start it from a manager
(Piskvork, Yixin-Board, qpiskvork, c-gomoku-cli), or type commands: START 15, BEGIN, TURN 7,8, END.

  --log FILE     write the conversation and internal errors to FILE
  --strict       stop at internal errors instead of playing on (also RENGA_STRICT=1)
  --selftest     check this copy and this machine, a few seconds, and exit
  --force-utf8   accepted: shows that a Yixin-Board is speaking
  --version      print the version and exit

Other arguments are ignored.
"""


def main(arguments: list[str] | None = None) -> int:
    """Runs the brain; returns the exit code only for --help, --version and --selftest."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if "--help" in arguments or "-h" in arguments:
        print(HELP, end="")
        return 0
    if "--version" in arguments:
        print(f"Renga {__version__}")
        return 0
    if "--selftest" in arguments:
        from brain import selftest  # not needed in a game

        return selftest.run()
    strict = "--strict" in arguments or os.environ.get("RENGA_STRICT") == "1"
    log, complaint = _log_file(arguments)
    loop = Loop(input_fd=_own_input(), strict=strict, log=log)
    if complaint:
        loop.engine.say(complaint)
    if "--force-utf8" in arguments:
        loop.engine.meet_yixin()
    try:
        code = loop.run()
    except KeyboardInterrupt:
        code = 130
    # Threads may still be loading or thinking; nothing of theirs is worth waiting for.
    os._exit(code)


def _own_input() -> int:
    """A descriptor of the standard input that no library knows of.

    On Windows every C library that is loaded asks what kind of file the standard input is, and the answer waits
    for a pending read. Loading the network while the reader waits for a line would thus hold the loader's lock,
    without which no thread starts, until the manager's next line: for ever, when it waits for our move.
    """
    if sys.platform != "win32":
        return 0
    import msvcrt

    own = os.dup(0)
    msvcrt.setmode(own, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return own


def _log_file(arguments: list[str]) -> tuple[IO[str] | None, str]:
    """The log, and why there is none although it was asked for: no reason to lose a game."""
    if "--log" not in arguments:
        return None, ""
    name = "".join(arguments[arguments.index("--log") + 1 :][:1])
    try:
        return open(name, "a", encoding="ascii", errors="replace"), ""  # noqa: PTH123 - as long-lived as the process
    except OSError as error:
        return None, f"no log in '{name}': {error.strerror}"


if __name__ == "__main__":
    sys.exit(main())
