"""`python -m training`: whatever is wrong with a file ends in one line that names it, and nothing written is lost."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from networks import write_network

from training.__main__ import main
from training.files import WriteError, naming, replacing
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


def test_evaluate_needs_no_pytorch_and_prints_the_lines_of_the_issue(tmp_path: Path) -> None:
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
    trunk = tmp_path / "odd-trunk.onnx"
    model = onnx.load(str(trunk))
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value += 1
    onnx.save(model, str(trunk))
    games = tmp_path / "games.txt"
    games.write_text(GAME)
    assert "odd-trunk.onnx" in refused("evaluate", "--all", games, "--network", network)
    # Self-play meets the file in another process.
    small = ("--sizes", 6, "--rules", "freestyle", "--games", 1, "--processes", 1)
    assert "odd-trunk.onnx" in refused("selfplay", "--network", network, "--out", tmp_path / "out.txt", *small)


@pytest.mark.skipif(not FULL_DISK.exists(), reason="no /dev/full here")
def test_self_play_on_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "selfplay.txt"
    path.symlink_to(FULL_DISK)
    monkeypatch.setattr("training.selfplay.finished_games", lambda path: set())
    monkeypatch.setattr("training.selfplay.local_lines", lambda settings, numbers, processes: iter([GAME.strip()]))
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
