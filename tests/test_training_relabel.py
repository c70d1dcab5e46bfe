"""training.relabel: policies and values for recorded games, in order, and gone on with after a kill."""

from __future__ import annotations

from pathlib import Path

import pytest
from networks import write_network

from training.__main__ import main
from training.games import GameError, parse_game, read_games
from training.player import Player
from training.relabel import Relabelling, mixed, relabel, relabelled

LINES = [
    "freestyle 9 B e5 e4 d5 d4 c5 f4 f5 g4 g5 # open=2 end=five",
    "renju 9 ? e5 f6 d6 # open=1",
    "freestyle 9 W a1 e5 a3 f5 a5 g5 a7 h5 a9 d5 # open=0 end=five eval=-1,2,-3,4,-5,6,-7,8,-9,10",
]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "tiny.onnx")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.txt"
    path.write_text("\n".join(LINES) + "\n")
    return path


def silent(_: str) -> None:
    pass


def test_a_mixture_keeps_the_share_of_the_move_that_was_played() -> None:
    assert mixed({1: 0.6, 2: 0.4}, 2, 0.5) == {1: 0.3, 2: 0.7}
    assert mixed({1: 1.0}, 7, 0.25) == {1: 0.75, 7: 0.25}
    assert mixed({1: 1.0}, 7, 0.0) == {1: 1.0}
    assert mixed({1: 1.0}, 7, 1.0) == {7: 1.0}


def test_every_chosen_move_gets_a_policy_and_proofs_replace_evaluations(network: Path) -> None:
    player = Player(network, memory=8 << 20)
    how = Relabelling(str(network), simulations=8, played_share=0.5)
    game = relabelled(player, parse_game(LINES[2]), how)
    assert game.evals is not None and game.policies is not None
    assert len(game.evals) == len(game.policies) == len(game.moves) - game.opening
    for move, policy in zip(game.moves[game.opening :], game.policies, strict=True):
        assert sum(policy.values()) == pytest.approx(1, abs=0.05)
        assert policy[move] >= 0.5
    assert game.evals[0] == -1, "an evaluation of the record stays where nothing is proved"
    assert game.evals[-1] == 29999, "white makes five"


def test_a_run_that_was_killed_goes_on_behind_its_last_whole_line(network: Path, records: Path, tmp_path: Path) -> None:
    how = Relabelling(str(network), simulations=4)
    target = tmp_path / "labels.txt"
    assert relabel(how, records, target, 1, silent) == 3
    whole = target.read_bytes()
    assert [game.moves for game in read_games(target)] == [game.moves for game in read_games(records)]
    first = whole.index(b"\n") + 1
    target.write_bytes(whole[: first + 20])
    assert relabel(how, records, target, 1, silent) == 2
    assert target.read_bytes() == whole
    assert relabel(how, records, target, 1, silent) == 0


def test_a_file_of_other_games_is_refused_and_left_as_it_is(network: Path, records: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("freestyle 9 ? e5 f6 d6 # open=1\n")
    with pytest.raises(GameError, match=r"game 1 is not that of .*records"):
        relabel(Relabelling(str(network), 4), records, other, 1, silent)
    assert other.read_text() == "freestyle 9 ? e5 f6 d6 # open=1\n"
    with pytest.raises(GameError, match="plain text"):
        relabel(Relabelling(str(network), 4), records, tmp_path / "labels.txt.gz", 1, silent)


def test_the_command_names_the_line_that_is_no_game(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged.txt"
    damaged.write_text(f"{LINES[1]}\nfreestyle 9 B e5 e5 # open=0\n")
    target = tmp_path / "labels.txt"
    assert main(["relabel", str(damaged), str(target), "--network", str(network), "--processes", "1"]) == 1
    assert f"{damaged}:2: move 2 (e5) is on a stone" in capsys.readouterr().err
    assert len(target.read_text().splitlines()) <= 1
