"""training.yardstick: labelled positions of held-out games, gone on with after a kill; and how `evaluate` uses them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from networks import write_network

from training.__main__ import main
from training.evaluate import Known, Scores, known_of
from training.games import GameError, format_game, parse_game, read_games
from training.player import Player
from training.selfplay import Settings, play_game
from training.yardstick import Yardstick, candidates, label


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "tiny.onnx")


@pytest.fixture(scope="module")
def games(network: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Own games, two of which are held out."""
    player = Player(network, memory=8 << 20)
    settings = Settings(str(network), plan=8, sizes=(9,), rules=(0, 4), unfair=1)
    lines, held_out, number = [], 0, 0
    while held_out < 2:
        game = parse_game(format_game(play_game(player, settings, number)))
        if game.held_out or number < 3:
            lines.append(format_game(game))
            held_out += game.held_out
        number += 1
    path = tmp_path_factory.mktemp("games") / "selfplay.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def silent(_: str) -> None:
    pass


def test_candidates_are_open_positions_of_held_out_games(games: Path) -> None:
    held_out = [game for game in read_games(games) if game.held_out]
    found = list(candidates([games], per_game=3))
    assert found == list(candidates([games], per_game=3)), "the games alone decide"
    assert 0 < len(found) <= 6
    for position in found:
        (game,) = [game for game in held_out if game.moves[: position.opening] == position.moves]
        assert game.evals is not None
        assert abs(game.evals[position.opening - game.opening]) < 29_000


def test_labels_are_what_the_search_says_and_a_killed_run_goes_on(network: Path, games: Path, tmp_path: Path) -> None:
    how = Yardstick(str(network), positions=4, simulations=40, per_game=8)
    whole, cut = tmp_path / "whole.txt", tmp_path / "cut.txt"
    assert label(how, [games], whole, 1, silent) == 4
    lines = whole.read_text().splitlines(keepends=True)
    assert lines[0].startswith("# labelled by network ") and lines[0].endswith(", 40 simulations\n")
    for game in read_games(whole):
        assert game.opening == len(game.moves) - 1 and game.policies is not None and game.evals is not None
        assert max(game.policies[0], key=game.policies[0].__getitem__) == game.moves[-1]
        assert sum(game.policies[0].values()) == pytest.approx(1, abs=0.01)
    cut.write_text("".join(lines[:3]) + lines[3][:10])
    assert label(how, [games], cut, 1, silent) == 4
    assert cut.read_text() == whole.read_text()


def test_labels_of_another_search_are_refused(network: Path, games: Path, tmp_path: Path) -> None:
    target = tmp_path / "labels.txt"
    label(Yardstick(str(network), 1, 20), [games], target, 1, silent)
    before = target.read_bytes()
    with pytest.raises(GameError, match=r"its first line is not `# labelled by .* 30 simulations`"):
        label(Yardstick(str(network), 1, 30), [games], target, 1, silent)
    assert target.read_bytes() == before
    with pytest.raises(GameError, match="labels are plain text"):
        label(Yardstick(str(network)), [games], tmp_path / "labels.txt.gz", 1, silent)


def test_scores_compare_with_visits_and_win_rates() -> None:
    scores = Scores()
    logits = np.log(np.array([0.5, 0.25, 0.25]))
    scores.add(logits, 0.7, Known(move=0, result=None, policy={0: 0.75, 2: 0.25}, rate=0.6))
    scores.add(logits, 0.3, Known(move=1, result=1.0, policy={}, rate=None))
    assert scores.searched == scores.rated == scores.valued == 1
    assert scores.shares == pytest.approx(0.75 * math.log(2) + 0.25 * math.log(4))
    assert scores.rates == pytest.approx(0.01)
    assert scores.lines()[-2:] == ["cross-entropy with searched policies 0.866", "distance from told win rates 0.1000"]


def test_a_proven_evaluation_is_no_win_rate() -> None:
    game = parse_game("freestyle 9 ? e5 f6 d6 # open=1 eval=200,-29990 policy=f6:0.5/d4:0.5,")
    first, second = (known_of(game, ply) for ply in (1, 2))
    assert first.rate == pytest.approx(1 / (1 + math.exp(-1))) and first.result is None
    assert first.policy == {first.move: 0.5, 5 * 9 + 3: 0.5}
    assert second.rate is None and second.policy == {}


def test_the_commands_label_and_measure(
    network: Path, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "labels.txt"
    arguments = ["--positions", "2", "--simulations", "30", "--network", str(network), "--processes", "1"]
    assert main(["label", str(target), str(games), *arguments]) == 0
    assert main(["evaluate", str(target), "--all", "--network", str(network)]) == 0
    printed = capsys.readouterr().out
    assert "2 labelled positions, 2 of them new" in printed
    assert "cross-entropy with searched policies" in printed and "distance from told win rates" in printed
