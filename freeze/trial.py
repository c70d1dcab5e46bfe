"""What a product must pass before anyone gets it.

`protocol_tests` is run on top of them; a game of two copies is refereed by bench.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from freeze import bundle, parcel, people
from freeze.fetch import say
from freeze.plan import ROOT, BuildError, Plan
from freeze.talk import MOVE, Talk, TalkError

Command = list[str]

POSITION = ("INFO book 0", "BOARD", "7,7,2", "8,8,1", "7,8,2", "DONE")
"""Something to search."""
SLACK = "10"
"""Deadlines of protocol_tests are multiplied by this, as under `make test`: a build machine is busy."""
WINE_ITSELF = ("nothing_is_written_outside_the_folder",)
"""Checks of protocol_tests that Wine's own files and processes would fail."""
COVER = 'mount -t tmpfs none "$1" && test ! -e "$1/build_exe.py" && shift && exec "$@"'
"""Shell: an empty folder over $1, then the rest as a command."""


def first_words(command: Sequence[str], cwd: Path | None = None) -> None:
    """It introduces itself, starts, thinks, moves and leaves. TalkError if not."""
    with Talk(command, cwd=cwd or Path(tempfile.gettempdir())) as talk:
        talk.send("ABOUT")
        talk.expect(r'name="Renga".*')
        talk.send("START 15", "INFO timeout_turn 300", *POSITION)
        talk.expect("OK")
        talk.expect(MOVE)
        talk.end()


def sound(command: Sequence[str], plan: Plan, cwd: Path | None = None) -> None:
    """Its first words are right, `--selftest` finds all well with the libraries that belong to the flavour, and nothing
    is written into the user's home (Wine itself does that)."""
    first_words(command, cwd)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [*command, "--selftest"], capture_output=True, text=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL, cwd=cwd or Path(tempfile.gettempdir()), env=os.environ | {"HOME": home},
        )  # fmt: skip
        if not plan.cross and (written := [str(path) for path in Path(home).rglob("*")]):
            raise TalkError(f"--selftest: files were written: {written}")
    if done.returncode != 0:
        raise TalkError(f"--selftest: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    if ("ONNX Runtime" in done.stdout) != (plan.flavour != "lean"):
        raise TalkError(f"--selftest: ONNX Runtime is in the lean build, or not in another\n{done.stdout}")


def in_place(plan: Plan, start: Command) -> None:
    """As it lies in dist, with the licences of what is in it."""
    sound([*start, str(plan.executable)], plan)
    folder = plan.executable.parent / "_internal" / "licences"
    for part in () if plan.onefile else ("renga", *bundle.libraries(plan)):
        text = folder / f"{part}.txt"
        if not (text.exists() and text.stat().st_size > 500):
            raise BuildError(f"{text.name}: the licence of a bundled part is missing")


def in_a_path_with_blanks(plan: Plan, start: Command) -> None:
    """A copy in a folder with blanks in its name, run from yet another folder."""
    with moved(plan) as executable:
        sound([*start, str(executable)], plan, cwd=Path.home())


def without_the_sources(plan: Plan, start: Command) -> None:
    """A copy where the source tree cannot be seen: an empty folder is mounted over it.

    Mounting takes a right that not every user has; without it the trial is left out, and says so.
    """
    cover = ["unshare", "--map-root-user", "--mount", "sh", "-c", COVER, "cover", str(ROOT)]
    if sys.platform != "linux" or subprocess.run([*cover, "true"], capture_output=True, check=False).returncode:
        say("  left out: this system does not let us hide the source tree")
        return
    with moved(plan) as executable:
        # Files are opened by Wine's server: it has to live under the cover too.
        end_wine(plan, start)
        sound([*cover, *start, str(executable)], plan)
        restart_wine(plan, start)


def killed_in_mid_search(plan: Plan, start: Command) -> None:
    """Killed while it thinks, a folder build leaves no process and no temporary folder behind."""
    if plan.onefile:
        say("  left out: a onefile build is two processes and does leave its folder (docs/executables.md)")
        return
    with Talk([*start, str(plan.executable)]) as talk:
        talk.send("START 15", "INFO timeout_turn 60000", "INFO timeout_match 1000000", *POSITION)
        talk.expect("OK")
        talk.expect_silence(2.0)
        if sys.platform == "linux" and not processes_of(plan.executable):
            raise TalkError("it thinks, but no process has its name: those left behind would not be found either")
        talk.kill()
    time.sleep(1.0)
    if alive := processes_of(plan.executable):
        raise TalkError(f"after the kill these are still running: {alive}")
    if left := unpacked_folders(plan):
        raise TalkError(f"after the kill these are left: {sorted(map(str, left))}")


def a_full_game(plan: Plan, start: Command) -> None:
    """Two copies play to the end; the referee finds every move legal and in time."""
    from bench.game import GameSpec, play_game
    from bench.players import Control
    from bench.process import ProcessPlayer
    from bench.reference import BLACK, WHITE

    command = shlex.join([*start, str(plan.executable)])
    players = {BLACK: ProcessPlayer(command), WHITE: ProcessPlayer(command)}
    corner = ((13, 13), (10, 13), (10, 12))  # the organisers' own opening for this test
    control = Control(turn_ms=300, tolerance_ms=5000)  # what counts here is every move being legal
    spec = GameSpec("trial", "trial", "black", "white", 0, 15, 15, corner, control)
    try:
        game = play_game(spec, {BLACK: players[BLACK], WHITE: players[WHITE]})
    finally:
        for player in players.values():
            player.close()
    if game.reason not in ("five", "full"):
        raise TalkError(f"the game ended after {len(game.moves)} moves by {game.reason}: {game.note}")
    say(f"  {len(game.moves)} moves, {game.result}")


def unpacked_zip(plan: Plan, start: Command) -> None:
    """The tournament zip, unpacked somewhere else, under its tournament name."""
    if not plan.zip:
        say("  left out: no zip was asked for")
        return
    with tempfile.TemporaryDirectory(prefix="renga ") as folder:
        shutil.unpack_archive(plan.archive, folder)
        sound([*start, str(Path(folder, parcel.TOURNAMENT_EXE))], plan, cwd=Path(folder))


def protocol(plan: Plan, start: Command) -> None:
    """The default tier of protocol_tests; under Wine without the checks that see Wine instead of the brain."""
    command = shlex.join([*start, str(plan.executable)])
    runner = [sys.executable, "-m", "protocol_tests", "--brain", command, "--slack", SLACK]
    if plan.cross:
        listing = subprocess.run([*runner, "--list"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        names = [line.split()[0] for line in listing.stdout.splitlines()]
        runner += [name for name in names if name not in WINE_ITSELF]
    done = subprocess.run(
        runner, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        failed = [line for line in done.stdout.splitlines() if ": ok" not in line]
        raise TalkError("protocol_tests:\n" + "\n".join(failed[-60:]))
    say(f"  {done.stdout.strip().splitlines()[-1]}")


def program_for_people(plan: Plan, start: Command) -> None:
    """`renga`, where it belongs to the product: its commands, and the board."""
    if (program := plan.for_people) is None:
        say("  left out: lean and onefile builds have the engine only")
        return
    command = [*start, str(program)]
    people.commands_answer(command)
    people.board_is_served(command, lambda: processes_of(program))
    if not plan.cross:  # Wine does not hand signals on
        people.board_ends_at_an_interrupt(command, lambda: processes_of(program))


TRIALS: tuple[Callable[[Plan, Command], None], ...] = (
    in_place,
    in_a_path_with_blanks,
    without_the_sources,
    killed_in_mid_search,
    unpacked_zip,
    program_for_people,
    a_full_game,
    protocol,
)


def run_all(plan: Plan, start: Command) -> None:
    """Every trial in turn; BuildError at the first that fails. `start` goes before the executable's path."""
    with own_temporary_folder(plan, start):
        restart_wine(plan, start)
        try:
            for trial in TRIALS:
                say(f"trial: {trial.__name__.replace('_', ' ')}")
                trial(plan, start)
        except TalkError as error:
            raise BuildError(f"{plan.executable} failed a trial: {error}") from None


@contextmanager
def own_temporary_folder(plan: Plan, start: Command) -> Iterator[None]:
    """Whatever a killed onefile build leaves unpacked is gone afterwards, in Wine's temporary folder too."""
    before = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix="renga-trials-", ignore_cleanup_errors=True) as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        try:
            yield
        finally:
            end_wine(plan, start)
            for rest in unpacked_folders(plan):
                shutil.rmtree(rest, ignore_errors=True)
            os.environ["TMPDIR"] = tempfile.tempdir = before


@contextmanager
def moved(plan: Plan) -> Iterator[Path]:
    """A copy of the product outside the source tree, in a folder with blanks in its name."""
    with tempfile.TemporaryDirectory(prefix="renga trial ") as folder:
        place = Path(folder, "a b")
        if plan.onefile:
            place.mkdir()
            shutil.copy2(plan.executable, place)
        else:
            shutil.copytree(plan.executable.parent, place)
        yield place / plan.executable.name


def end_wine(plan: Plan, start: Command) -> None:
    """Under Wine: every process of the prefix ends."""
    if plan.cross:
        wine_server(start, "--kill", "--wait")


def restart_wine(plan: Plan, start: Command) -> None:
    """Under Wine: a new server with its services, which outlives the brains.

    Those that a brain started would hold its pipes open; a server on its way out would take the next brain along.
    """
    if plan.cross:
        end_wine(plan, start)
        wine_server(start, "--persistent=600")
        quietly([*start, "cmd", "/c", "exit"])


def wine_server(start: Command, *options: str) -> None:
    """Calls Wine's server; `start` ends with Wine itself."""
    quietly([*start[:-1], "wineserver", *options])


def quietly(command: Command) -> None:
    """Runs a command that may leave processes behind: they must not keep any pipe of ours open."""
    none = subprocess.DEVNULL
    subprocess.run(command, stdin=none, stdout=none, stderr=none, check=False)


def unpacked_folders(plan: Plan) -> set[Path]:
    """Folders that PyInstaller programs have unpacked themselves into, here and on Wine's drive C:."""
    found = set(Path(tempfile.gettempdir()).glob("_MEI*"))
    # Where a user's Temp is depends on Wine's version.
    return found | set(plan.cache.glob("windows-*/prefix/drive_c/users/**/Temp/_MEI*"))


def processes_of(executable: Path) -> list[int]:
    """Processes whose command line names the executable. Knows Linux only; elsewhere the list is empty."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        # Wine shows a Windows program under its Windows path.
        names = {str(executable).encode(), f"Z:{executable}".replace("/", "\\").encode()}
        if names & set(arguments):
            found.append(int(entry.name))
    return found
