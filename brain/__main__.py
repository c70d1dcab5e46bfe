"""Wiring and command line: `python -m brain`, installed as `pbrain-renga`."""

from __future__ import annotations

import os
import sys

# The interpreter has these two; whatever else is imported before `main` is time in which an interrupt is a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO

    from brain.book import Book
    from brain.loop import Loop
    from brain.network import Network
    from brain.thinker import Thinker

    MakeThinker = Callable[[Callable[[str], None], Network], Thinker]

HELP = """\
usage: pbrain-renga [--network FILE|off] [--provider NAME] [--book FILE|off] [--coordinates KIND] [--log FILE]
                    [--strict]
       pbrain-renga --selftest | --help | --version

Renga, a five-in-a-row brain. It speaks the Piskvork protocol on stdin and stdout; start it from a manager
(Piskvork, Yixin-Board, qpiskvork, c-gomoku-cli), or type commands: START 15, BEGIN, TURN 7,8, END.

  --network FILE play with this network (FILE.onnx of `python -m training export`) instead of the shipped one, or with
                 none: off
  --provider P   who computes it: auto, cuda, core, cpu (auto: CUDA if there is one, else the core, else ONNX Runtime)
  --book FILE    play the first moves from this book (of `python -m training book`) instead of the shipped one, or from
                 none: off
  --coordinates K  how messages name cells: letters (h8) or numbers (7,7); without it as the manager shows them
  --log FILE     write the conversation and internal errors to FILE
  --strict       stop at internal errors instead of playing on (also RENGA_STRICT=1)
  --selftest     check this copy, this machine and the network, a few seconds, and exit
  --force-utf8   accepted: shows that a Yixin-Board is speaking
  --version      print the version and exit

Other arguments are ignored.
"""

NOBODY_THERE = """\
Renga {version}, a five-in-a-row engine. It has no window of its own: boards and tournaments start it and talk to it.
Choose this file as a player in Piskvork, Yixin-Board or qpiskvork, or as -engine cmd=... of c-gomoku-cli.
To try it by hand type START 15, then BEGIN or TURN 7,7 and more TURNs; END leaves. --help lists the options.
"""


def main(arguments: list[str] | None = None, make_thinker: MakeThinker | None = None) -> int:
    """Runs the brain; returns the exit code only for --help, --version and --selftest. `make_thinker`: one that does
    more than think, from somebody to tell and a network."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if "--help" in arguments or "-h" in arguments:
        print(HELP, end="")
        return 0
    if "--version" in arguments:
        from brain import __version__

        print(f"Renga {__version__}")
        return 0
    if "--selftest" in arguments or "--try-library" in arguments:
        from brain import selftest  # not needed in a game

        if "--try-library" in arguments:
            return selftest.load_library()
        return selftest.run(_file(arguments, "--network")[0], _file(arguments, "--book")[0])
    # No conversation is worth a traceback, least of all its beginning. This is a part of the interpreter; to load
    # `signal`, which is around it, takes milliseconds.
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    _fill_standard_descriptors()
    _explain_to_a_person()
    try:
        code = _loop(arguments, make_thinker).run()
    except (ImportError, MemoryError) as error:
        _print(f"ERROR Renga cannot run here: {error or 'out of memory'}\n")
        code = 1
    # Threads may still be loading or thinking; nothing of theirs is worth waiting for.
    os._exit(code)


def _loop(arguments: list[str], make_thinker: MakeThinker | None) -> Loop:
    """The conversation that the arguments ask for. Imports here: one that fails is to be said in one line."""
    from brain.engine import Engine
    from brain.loop import Loop
    from brain.thinker import Thinker

    strict = "--strict" in arguments or os.environ.get("RENGA_STRICT") == "1"
    complaints: list[str] = []
    log = _log_file(arguments, complaints.append)
    network = _network(arguments, complaints.append)
    book = _book(arguments)
    think = make_thinker or (lambda tell, network: Thinker(tell, network=network))

    def make_engine(say: Callable[[str], None], note: Callable[[str], None]) -> Engine:
        own = network(say)
        return Engine(say, note, make_thinker=lambda tell: think(tell, own.lend()), book=book(say))

    loop = Loop(input_fd=_own_input(), strict=strict, log=log, make_engine=make_engine)
    for complaint in complaints:
        loop.engine.say(complaint)
    if "--force-utf8" in arguments:
        loop.engine.meet_yixin(board=True)
    coordinates = _value_of("--coordinates", arguments)
    loop.engine.inform("coordinates", coordinates or "")
    if coordinates is not None and not loop.engine.settings.coordinates:
        loop.engine.say(f"no coordinates '{coordinates}', there are letters, numbers: those of the manager are taken")
    return loop


def _explain_to_a_person() -> None:
    """No manager is there if the input is a terminal, a console window or nothing at all: managers use pipes."""
    from stat import S_ISCHR, S_ISREG

    given = os.fstat(0)
    if S_ISCHR(given.st_mode) or (S_ISREG(given.st_mode) and not given.st_size):
        from brain import __version__

        _print(NOBODY_THERE.format(version=__version__))


def _print(text: str) -> None:
    """To an output that may be closed."""
    from contextlib import suppress

    with suppress(OSError):
        os.write(1, text.encode("ascii", "replace"))


def _fill_standard_descriptors() -> None:
    """A descriptor that was closed when we started would be given to the next file we open: the log would get the
    replies. Nothing can be written to what is opened here, so a closed stdout still ends the conversation."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


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


def _value_of(option: str, arguments: list[str]) -> str | None:
    """What follows an option, "" if nothing does; None without the option."""
    return "".join(arguments[arguments.index(option) + 1 :][:1]) if option in arguments else None


def _log_file(arguments: list[str], complain: Callable[[str], None]) -> IO[str] | None:
    """The log, if one is asked for. That there can be none is no reason to lose a game."""
    name = _value_of("--log", arguments)
    if name is None:
        return None
    try:
        return open(name, "a", encoding="ascii", errors="replace", opener=_without_waiting)
    except OSError as error:
        complain(f"no log in '{name}': {error.strerror}")
        return None


def _without_waiting(name: str, flags: int) -> int:
    """A pipe that nobody reads is no log, and one that is full is a full disk: the game waits for neither."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def _network(arguments: list[str], complain: Callable[[str], None]) -> Callable[[Callable[[str], None]], Network]:
    """Makes the network that is asked for, given somebody to tell about its fate."""
    from brain.network import PROVIDERS, Network

    provider = _value_of("--provider", arguments)
    if provider is not None and provider not in PROVIDERS:
        complain(f"no provider '{provider}', there are {', '.join(PROVIDERS)}: auto is taken")
        provider = None
    path, wanted = _file(arguments, "--network")
    return lambda say: Network(say, path, provider or "auto", wanted)


def _book(arguments: list[str]) -> Callable[[Callable[[str], None]], Book]:
    """Makes the book that is asked for, likewise."""
    from brain.book import Book

    path, wanted = _file(arguments, "--book")
    return lambda say: Book(say, path, wanted)


def _file(arguments: list[str], option: str) -> tuple[Path | None, bool]:
    """The file that an option names, None for the shipped one; and whether there shall be one at all: `off` is none."""
    from pathlib import Path

    name = _value_of(option, arguments)
    return None if name in (None, "off") else Path(name), name != "off"


if __name__ == "__main__":
    sys.exit(main())
