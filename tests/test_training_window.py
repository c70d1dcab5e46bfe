"""training.window, gatherer, history and status: the files of a loop. Needs no PyTorch."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Iterable
from pathlib import Path

import numpy as np
import pytest

from training import history
from training.__main__ import main
from training.cycles import Cycle, keep
from training.dataset import chosen_positions, copies_per_game, open_set, pack
from training.games import GameError
from training.gatherer import Gatherer
from training.selfplay import HEADING, Settings, finished_games
from training.window import (
    SOURCE,
    joined,
    mend,
    newest,
    next_number,
    packed,
    segment_path,
    segments,
    tallies,
    with_share,
)

LOOP_GAME = "freestyle 9 {} e5 d4 e6 # open=0 eval=1,2,3 policy=e5:1,d4:0.5/c3:0.5, seed={} overruled=1/2"


def write_segment(folder: Path, number: int, games: int, result: str = "B") -> Path:
    path = segment_path(folder, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(LOOP_GAME.format(result, game) + "\n" for game in range(games)))
    return path


def test_a_window_is_the_newest_segments_that_hold_enough_games(tmp_path: Path) -> None:
    paths = [write_segment(tmp_path, number, 3) for number in (9, 10, 100)]
    assert segments(tmp_path) == paths
    assert newest(paths, 1) == paths[2:] and newest(paths, 4) == paths[1:] and newest(paths, 99) == paths
    assert next_number(tmp_path) == 101
    paths[2].unlink()
    assert next_number(tmp_path) == 101, "its packed form is still there"
    (tmp_path / "games" / "mine.txt").write_text("")
    with pytest.raises(GameError, match=r"mine\.txt: not a file of this loop"):
        segments(tmp_path)


def test_joined_segments_are_what_one_file_with_their_games_would_be(tmp_path: Path) -> None:
    paths = [write_segment(tmp_path, 1, 2), write_segment(tmp_path, 2, 3, "W")]
    record = tmp_path / "human.txt"
    record.write_text("renju 15 B h8 h9 # open=0\n")
    pack([record], tmp_path / "records")
    sets = [*(packed(path) for path in paths), open_set(tmp_path / "records")]
    both = joined(sets)
    whole = tmp_path / "selfplay.txt"
    whole.write_text("".join(path.read_text() for path in paths))
    pack([whole, record], tmp_path / "whole")
    expected = open_set(tmp_path / "whole")
    assert both.sources == expected.sources == [SOURCE, "human"]
    for name in ("games", "moves", "evals", "policy", "ends"):
        assert np.array_equal(getattr(both, name), getattr(expected, name)), name
    assert both.description() == joined(sets).description() != joined(sets[1:]).description()


@pytest.mark.parametrize("share", [0.0, 0.25, 0.6])
def test_records_get_their_share(tmp_path: Path, share: float) -> None:
    record = tmp_path / "teacher.txt"
    record.write_text("".join(f"freestyle 9 B a{row} h9 g{row} # open=0\n" for row in range(1, 10)))
    pack([record], tmp_path / "records")
    data = joined([packed(write_segment(tmp_path, 1, 9)), open_set(tmp_path / "records")])
    game, _ = chosen_positions(data, held_out=False)
    copies = copies_per_game(data, with_share(data, share))[game]
    foreign = data.games["source"][game] == data.sources.index("teacher")
    assert copies[foreign].sum() / copies.sum() == pytest.approx(share)


def test_games_are_tallied_by_rule(tmp_path: Path) -> None:
    path = write_segment(tmp_path, 1, 3)
    path.write_text(path.read_text() + LOOP_GAME.format("D", 4).replace("freestyle", "caro") + "\n")
    told = {rule: tally.told() for rule, tally in tallies([path]).items()}
    assert told["freestyle"] == {"games": 3, "length": 3, "black": 1, "white": 0, "draws": 0, "overruled": 0.5}
    assert told["caro"]["draws"] == 1 and told["all"]["games"] == 4 and told["all"]["black"] == 0.75


def test_after_a_kill_half_a_game_is_cut_off_and_an_empty_segment_removed(tmp_path: Path) -> None:
    whole, cut, empty = (write_segment(tmp_path, number, 2) for number in (1, 2, 3))
    packed(whole)
    cut.write_text(cut.read_text() + LOOP_GAME[:20])
    empty.write_text(HEADING + "{}\n")
    mend(tmp_path)
    assert segments(tmp_path) == [whole, cut]
    assert finished_games(cut) == {0, 1}


def endless(tasks: Iterable[tuple[Settings, int]], processes: int, ray: str) -> Generator[str]:
    for settings, number in tasks:
        yield LOOP_GAME.format("B", number) + f" rule={settings.rules[number % len(settings.rules)]}"


def test_games_go_on_until_the_end_and_none_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.gatherer.played", endless)
    with Gatherer(tmp_path, Settings(network="", rules=(0, 4)), 1, "") as games:
        first = games.path
        assert games.wait_for(50, 60)
        games.rotate()
        assert games.path != first and games.wait_for(1, 60)
    games.check()
    found = [finished_games(path) for path in segments(tmp_path)]
    assert len(found) == 2 and not found[0] & found[1]
    assert len(found[0]) >= 50
    heading = json.loads(first.read_text().splitlines()[0].removeprefix(HEADING))
    assert heading["seed"] == 1 and heading["rules"] == [0, 4]
    with Gatherer(tmp_path, Settings(network=""), 1, "") as games:
        assert games.wait_for(1, 60)
        assert games.path.name == "selfplay-000003.txt"


KILLED = """
import sys
from pathlib import Path
import training.gatherer as gatherer
from training.selfplay import Settings

def played(tasks, processes, ray):
    for settings, number in tasks:
        yield sys.argv[2].format("B", number)
        print(number, flush=True)  # the line was taken: it is on the disk

gatherer.played = played
with gatherer.Gatherer(Path(sys.argv[1]), Settings(network="", rules=(0,)), 1, "") as games:
    games.wait_for(1 << 30, 60)
"""


def test_a_kill_loses_no_game_that_was_finished(tmp_path: Path) -> None:
    program = [sys.executable, "-c", KILLED, str(tmp_path), LOOP_GAME]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        taken = [int(process.stdout.readline()) for _ in range(20)]
        process.kill()
        taken += [int(line) for line in process.stdout.read().splitlines() if line]
    mend(tmp_path)
    (path,) = segments(tmp_path)
    assert finished_games(path) >= set(taken)
    assert len(packed(path).games) >= len(taken)


def entry(number: int, **more: object) -> history.Entry:
    known: dict[str, object] = {"hours": 0.5 * number, "games": 100 * number, "window": 100 * number}
    return history.Entry(number, f"{number:016x}", **{**known, **more})  # type: ignore[arg-type]


WENT = {"games": 100, "length": 60.5, "black": 0.55, "white": 0.4, "draws": 0.05, "overruled": 0.3}


def write_history(folder: Path) -> None:
    history.add(folder, entry(0))
    history.add(folder, entry(1, elo={"0" * 16: (-20.0, 10.0, 40.0, 100)}, fresh={"policy": 2.1, "value": 0.6},
                              play={"all": WENT, "caro": WENT}))  # fmt: skip
    history.add(folder, entry(2, playing=False, gate=(-90.0, -50.0, -10.0, 100)))


def test_a_history_reads_back_and_damage_is_named(tmp_path: Path) -> None:
    write_history(tmp_path)
    entries = history.read(tmp_path)
    assert [one.number for one in entries] == [0, 1, 2] and entries[1].play["caro"]["length"] == 60.5
    path = tmp_path / history.NAME
    lines = path.read_text().splitlines(keepends=True)
    for wrong in (
        lines[1][:30], "{}\n", lines[2], lines[1].replace("60.5", '"long"'), lines[1].replace("-20.0, ", ""),
        lines[1].replace('"number"', '"generation"'),
    ):  # fmt: skip
        path.write_text(lines[0] + wrong)
        with pytest.raises(GameError, match=r"history\.jsonl:2: damaged: "):
            history.read(tmp_path)


def test_status_tells_the_networks_and_what_is_going_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_history(tmp_path / "history")
    path = write_segment(tmp_path, 7, 1)
    keep(tmp_path, Cycle(3, "2", [path.name], [path.name]))
    (tmp_path / "now.txt").write_text("step 500\n")
    assert main(["status", "--folder", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"network 1 ({1:016x}) plays; 2 made in 1.0 hours from 200 games")
    for words in (
        "Elo against 00000000", "+10 [-20, +40]", " 2.100  0.600    60.5    55%     5%        30%",
        "caro: 100 games of 60 moves, black 55%, white 40%, drawn 5%, overruled 30%",
        "network 3 is being made from 2 and 1 segments of games", "the newest selfplay-000007.txt", "ago: step 500",
    ):  # fmt: skip
        assert words in told, words
    assert main(["status", "--folder", str(tmp_path / "elsewhere")]) == 1
    assert "no history; `python -m training loop` begins one" in capsys.readouterr().err


def test_the_curves_are_one_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_history(tmp_path / "history")
    assert main(["status", "--folder", str(tmp_path), "--picture", str(tmp_path / "curves.png")]) == 0
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
