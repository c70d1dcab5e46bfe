"""`python -m training`: whatever is wrong with a file ends in one line that names it, and nothing written is lost."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from networks import change, save, write_network

from training.__main__ import main
from training.files import WriteError, alone_with, naming, replacing
from training.recipe import Recipe, add_recipe, recipe_of
from training.selfplay import Settings, finished_games, selfplay

FULL_DISK = Path("/dev/full")
GAME = "freestyle 6 B a1 b2 # open=0 seed=0\n"


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs a command that must fail, and returns its one line."""

    def run(*arguments: object) -> str:
        assert main([str(argument) for argument in arguments]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        return line

    return run


def test_a_bad_game_line_is_named(tmp_path: Path, refused) -> None:  # type: ignore[no-untyped-def]
    games = tmp_path / "games.txt"
    games.write_text(GAME + GAME.replace("b2", "a1"))
    wanted = f"{games}:2: move 2 (a1) is on a stone"
    assert refused("data", games, "--out", tmp_path / "set") == f"data: {wanted}"
    network = write_network(tmp_path / "tiny.onnx")
    assert refused("evaluate", "--all", games, "--network", network) == f"evaluate: {wanted}"
    assert "missing.txt: No such file" in refused("data", tmp_path / "missing.txt", "--out", tmp_path / "set")


def test_packing_tells_how_many_wins_were_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = tmp_path / "games.txt"
    games.write_text("freestyle 9 B a1 a9 b1 b9 c1 c9 d1 d9 e1 # open=0 end=five\n")
    assert main(["data", str(games), "--out", str(tmp_path / "set")]) == 0
    told = "1 games, 9 moves, 0 policy entries, 1 wins proven by fours, 0 games cut off before a foul\n"
    assert capsys.readouterr().out.endswith(told)


def test_a_file_with_nothing_to_measure_is_named(tmp_path: Path, refused) -> None:  # type: ignore[no-untyped-def]
    games = tmp_path / "games.txt"
    games.write_text(GAME)
    network = write_network(tmp_path / "tiny.onnx")
    wanted = f"evaluate: {games}: no positions; without --all only those of held-out games are taken"
    assert refused("evaluate", games, "--network", network) == wanted
    puzzles = tmp_path / "no_vcf.tsv"
    puzzles.write_text("#id\tside\tsize\tblack\twhite\none\tB\t9\te5\t\n")
    wanted = f"evaluate: {puzzles}: none of its puzzles has an answer"
    assert refused("evaluate", "--puzzles", puzzles, "--network", network) == wanted


def test_evaluate_needs_no_pytorch_and_prints_a_line_for_each_figure(tmp_path: Path) -> None:
    games, puzzles = tmp_path / "games.txt", tmp_path / "vcf.tsv"
    games.write_text(GAME)
    puzzles.write_text("#id\tside\tsize\tblack\twhite\twinning_first_fours\tline\none\tB\t9\te5\t\ta1 b2\ta1\n")
    arguments = ["evaluate", "--all", games, "--puzzles", puzzles, "--network", write_network(tmp_path / "tiny.onnx")]
    program = (
        "import sys; sys.modules.update(torch=None, onnx=None, matplotlib=None)\n"
        "from training.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    wanted = [
        "games.txt", "positions 2", r"top-1 \d+\.\d %", r"top-5 \d+\.\d %",
        r"policy cross-entropy \d\.\d{3}", r"value cross-entropy \d\.\d{3}",
        "vcf.tsv", "puzzles 1", r"good \d+\.\d %", r"perfect \d+\.\d % of 1",
    ]  # fmt: skip
    assert re.fullmatch("\n".join(wanted) + "\n", done.stdout), done.stdout


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("learn --steps 0", "argument --steps: '0' is not a whole number of at least 1"),
        ("learn --batch x", "argument --batch: 'x' is not a whole number of at least 1"),
        ("learn --hidden 0", "argument --hidden: '0' is not a whole number of at least 1"),
        ("learn --channels -8", "argument --channels: '-8' is not a whole number of at least 1"),
        ("learn --threads 0", "argument --threads: '0' is not a whole number of at least 1"),
        ("learn --seed -1", "argument --seed: '-1' is not a whole number of at least 0"),
        ("learn --minutes nan", "argument --minutes: 'nan' is not a number of at least 0"),
        ("learn --rate 0", "argument --rate: '0' is not a number above 0"),
        ("learn --average 1.1", "argument --average: '1.1' is not a share from 0 to 1"),
        ("learn --weight teacher", "argument --weight: 'teacher' is not START=COPIES"),
        ("learn --weight teacher=-1", "argument --weight: '-1' is not a number of at least 0"),
        ("evaluate --limit -1", "argument --limit: '-1' is not a whole number of at least 0"),
        ("book --simulations 1", "argument --simulations: '1' is not a whole number of at least 2"),
        ("selfplay --games 0", "argument --games: '0' is not a whole number of at least 1"),
        ("selfplay --processes 0", "argument --processes: '0' is not a whole number of at least 1"),
        ("selfplay --seed -1", "argument --seed: '-1' is not a whole number of at least 0"),
        ("selfplay --full-share 2", "argument --full-share: '2' is not a share from 0 to 1"),
        ("selfplay --rules chess", "argument --rules: unknown rule 'chess'"),
        ("learn --blocks foo", "argument --blocks: unknown block 'foo'; known: res, conv, sep, pool"),
        ("learn --blocks sep,,pool", "argument --blocks: unknown block ''; known: res, conv, sep, pool"),
        ("learn --blocks sep,Pool", "argument --blocks: unknown block 'Pool'; known: res, conv, sep, pool"),
        ("pit a b --sprt 0 1e9", "argument --sprt: '1e9' is not a difference of at most 1000 Elo"),
        ("pit a b --games 1", "argument --games: '1' is not a multiple of 2 of at least 2"),
        ("pit a b --games 0", "argument --games: '0' is not a multiple of 2 of at least 2"),
        ("loop --gate 3", "argument --gate: '3' is not a multiple of 2 of at least 2"),
        ("loop --fresh 0", "argument --fresh: '0' is not a whole number of at least 1"),
        ("loop --records-share 1", "argument --records-share: '1' is not a share from 0 to below 1"),
        ("loop --shares caro=0", "argument --shares: '0' is not a whole number of at least 1"),
        ("loop --shares caro=1,caro=2", "argument --shares: a rule comes twice in 'caro=1,caro=2'"),
        ("loop --shares caro=99,renju=2", "argument --shares: the shares in 'caro=99,renju=2' add up to more than 100"),
        ("loop --shares chess=2", "argument --shares: unknown rule 'chess'"),
    ],
)
def test_a_value_out_of_range_is_refused(command: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(command.split())
    assert f"error: {reason}" in capsys.readouterr().err.splitlines()[-1]


def test_a_sequential_test_needs_its_bounds_in_order_and_two_networks(refused) -> None:  # type: ignore[no-untyped-def]
    assert refused("pit", "a.onnx", "b.onnx", "--sprt", 20, 0) == "pit: --sprt needs ELO0 below ELO1"
    assert refused("pit", "a.onnx", "b.onnx", "-", "--sprt", 0, 20) == "pit: --sprt is for two networks"
    assert refused("pit", "a.onnx") == "pit: a match needs two networks"


def test_minutes_alone_are_not_cut_short_by_a_number_of_steps() -> None:
    parser = argparse.ArgumentParser()
    add_recipe(parser, Recipe())
    for text, limits in (
        ("", (Recipe.steps, 0)), ("--minutes 5", (0, 5)), ("--steps 7", (7, 0)),
        ("--steps 7 --minutes 5", (7, 5)),
    ):  # fmt: skip
        recipe = recipe_of(parser.parse_args(text.split()), Recipe())
        assert (recipe.steps, recipe.minutes) == limits


def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("training.commands.selfplay", interrupted)
    assert main(["selfplay"]) == 130
    assert capsys.readouterr().err == "selfplay: interrupted\n"


def test_a_bad_puzzle_line_is_named(tmp_path: Path, refused) -> None:  # type: ignore[no-untyped-def]
    puzzles = tmp_path / "puzzles.tsv"
    head = "#id\tside\tsize\tblack\twhite\tfours\twinning_first_fours\tline\n"
    network = write_network(tmp_path / "tiny.onnx")
    for row, reason in (
        (b"one\tX\t9\te5\t\t1\ta1\ta1\n", ":2: 'X'"),
        (b"one\tB\t9", ":2: 'black'"),
        (b"\xff", ": not a text file"),
    ):
        puzzles.write_bytes(head.encode() + row)
        line = refused("evaluate", "--puzzles", puzzles, "--network", network)
        assert line.startswith(f"evaluate: {puzzles}{reason}")


def test_networks_of_the_wrong_shape_are_named(tmp_path: Path, refused) -> None:  # type: ignore[no-untyped-def]
    network = write_network(tmp_path / "odd.onnx")
    model = onnx.load(str(network))
    bias = next(entry for entry in model.graph.initializer if entry.name == "trunk.bias")
    bias.CopyFrom(onnx.numpy_helper.from_array(np.zeros((3, 1, 1), np.float32), bias.name))
    save(network, model, {entry.key: entry.value for entry in model.metadata_props if entry.key != "sha256"})
    games = tmp_path / "games.txt"
    games.write_text(GAME)
    assert "odd.onnx" in refused("evaluate", "--all", games, "--network", network)
    # Self-play meets the file in another process.
    small = ("--sizes", 6, "--rules", "freestyle", "--games", 1, "--processes", 1)
    assert "odd.onnx" in refused("selfplay", "--network", network, "--out", tmp_path / "out.txt", *small)


def test_answers_that_are_no_numbers_are_refused(tmp_path: Path, refused) -> None:  # type: ignore[no-untyped-def]
    network = write_network(tmp_path / "odd.onnx")
    change(network, "trunk.policy.bias", np.nan)
    games = tmp_path / "games.txt"
    games.write_text(GAME)
    wanted = "odd.onnx has NaN or infinity in tensor trunk.policy.bias"
    assert refused("evaluate", "--all", games, "--network", network).endswith(wanted)


def test_self_play_leaves_files_alone_that_are_not_its_own(tmp_path: Path, refused) -> None:  # type: ignore[no-untyped-def]
    for content in (b"one line without an end", b"two\nlines", b"\xff\x00\n\x1f", GAME.encode().strip()):
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        assert "its first line does not tell" in refused("selfplay", "--network", "-", "--out", path)
        assert path.read_bytes() == content
    assert "name a .txt file" in refused("selfplay", "--network", "-", "--out", tmp_path / "games.txt.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_two_processes_do_not_write_to_one_place(tmp_path: Path) -> None:
    second = alone_with(tmp_path)
    with alone_with(tmp_path), pytest.raises(WriteError, match="another process is writing there"):
        second.__enter__()
    with alone_with(tmp_path):
        pass


@pytest.mark.skipif(not FULL_DISK.exists(), reason="no /dev/full here")
def test_self_play_on_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "selfplay.txt"
    path.symlink_to(FULL_DISK)
    monkeypatch.setattr("training.selfplay.finished_games", lambda path: set())
    monkeypatch.setattr("training.selfplay.played", lambda tasks, processes, ray: iter([GAME.strip()]))
    with pytest.raises(WriteError, match=r"selfplay\.txt: cannot be written: .*No space"):
        selfplay(Settings(network=""), path, 1, 1, "", lambda text: None)


def test_a_game_that_a_full_disk_has_cut_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "selfplay.txt"
    for length in range(1, len(GAME)):
        path.write_text(GAME + GAME.replace("seed=0", "seed=1")[:length])
        assert finished_games(path) == {0} and path.read_text() == GAME


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("before")
    with pytest.raises(KeyError), replacing(path) as part:
        part.write_text("half")
        raise KeyError
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    with replacing(path) as part:
        part.write_text("after")
    assert path.read_text() == "after" and list(tmp_path.iterdir()) == [path]


def test_a_failure_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught, naming(tmp_path / "outer"), naming(tmp_path / "inner"):
        raise OSError(28, "No space left on device")
    assert str(caught.value) == f"{tmp_path / 'inner'}: cannot be written: [Errno 28] No space left on device"


def test_a_missing_pytorch_is_one_clear_message() -> None:
    """In a process of its own: here other tests may have loaded it already."""
    for command in (["learn"], ["learn", "--blocks", "sep,pool"], ["loop"]):
        code = f"import sys; sys.modules['torch'] = None; from training.__main__ import main; sys.exit(main({command}))"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert ended.returncode == 1
        (line,) = ended.stderr.splitlines()
        assert line.endswith("it comes with the extra `train`")
