"""training.dataset and training.positions: packed games and the batches made from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import cython_core as core
from bench.puzzles import data_folder
from training.dataset import DataSet, Sampling, chosen_positions, copies_per_game, epoch_batches, open_set, pack
from training.files import WriteError
from training.games import GameError, move_text
from training.positions import make_batch

FULL_DISK = Path("/dev/full")
DATA = data_folder() / "games"


def random_lines(number: int, seed: int = 3) -> list[str]:
    """Short random games of all rules on squares and rectangles, unfinished."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(number):
        width, height = (15, 15) if rng.random() < 0.7 else (12, 17)
        cells = rng.permutation([x + 32 * y for x in range(width) for y in range(height)])[: rng.integers(4, 16)]
        rule = rng.choice(["freestyle", "standard", "caro"])
        result = rng.choice(["B", "W", "D", "?"], p=[0.5, 0.2, 0.2, 0.1])
        evals = ",".join(str(value) for value in rng.choice([0, 100, -250, 29990, -29991], len(cells) - 2))
        moves = " ".join(move_text(cell, height) for cell in cells)
        lines.append(f"{rule} {width}x{height} {result} {moves} # open=2 eval={evals}")
    return lines


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    path = tmp_path / "teacher_random.txt"
    path.write_text("\n".join(random_lines(300)))
    pack([path], tmp_path / "set")
    return open_set(tmp_path / "set")


def replayed(data: DataSet, game: int, ply: int) -> core.Board:
    record = data.games[game]
    board = core.Board(int(record["width"]), int(record["height"]), int(record["rule"]))
    for cell in data.moves[int(record["start"]) : int(record["start"]) + ply]:
        board.play(int(cell))
    return board


def test_batches_are_the_positions_of_the_games(data: DataSet) -> None:
    batches = epoch_batches(data, Sampling(), 16, np.random.default_rng(0))
    for game, ply in batches[:6]:
        batch = make_batch(data, game, ply)
        for row in range(len(game)):
            board = replayed(data, int(game[row]), int(ply[row]))
            seen = {core.EMPTY: 0, board.side: 1, 1 - board.side: 2}
            expected = [[seen[board.stone(core.cell(x, y))] for x in range(board.width)] for y in range(board.height)]
            assert batch.boards[row].tolist() == expected
            move = int(data.moves[int(data.games[game[row]]["start"]) + int(ply[row])])
            assert batch.chosen[row] == move // 32 * board.width + move % 32
            assert board.legal(move)


def test_training_and_held_out_positions_never_meet(data: DataSet) -> None:
    held = set(np.flatnonzero(data.games["held_out"]).tolist())
    trained = {int(g) for game, _ in epoch_batches(data, Sampling(), 8, np.random.default_rng(0)) for g in game}
    assert held and not held & trained
    game, ply = chosen_positions(data, held_out=True)
    assert set(game.tolist()) == held and (ply >= 2).all()


def test_value_targets_mix_result_and_evaluation_and_take_proofs_exactly(data: DataSet) -> None:
    game, ply = chosen_positions(data, held_out=False)
    pick = np.flatnonzero(data.games["width"][game] == 15)
    game, ply = game[pick], ply[pick]
    batch = make_batch(data, game, ply, eval_share=0.5)
    evals = data.evals[data.games["start"][game].astype(int) + ply]
    assert np.allclose(batch.value.sum(1), 1)
    assert (batch.value[evals > 29000] == [1, 0, 0]).all() and (batch.value[evals < -29000] == [0, 0, 1]).all()
    assert (batch.value_weight == 1).all()
    drawn = (evals == 0) & (data.games["result"][game] == 2)
    assert np.allclose(batch.value[drawn], [0.25, 0.5, 0.25])
    won = (evals == 100) & (data.games["result"][game] == ply % 2)
    assert np.allclose(batch.value[won][:, 0], 0.5 + 0.5 / (1 + np.exp(-0.5)))


# A double four on j8 wins for black, who plays elsewhere; under renju it is a foul, and there is no other win.
MISSED = "g8 f8 h8 j4 i8 a1 j5 o1 j6 a15 j7 o15 c3 j8"


@pytest.mark.parametrize(("rule", "proven"), [("freestyle", 1), ("standard", 1), ("renju", 0)])
def test_a_win_by_fours_that_was_missed_is_still_learned_as_a_win(tmp_path: Path, rule: str, proven: int) -> None:
    path = tmp_path / "games.txt"
    path.write_text(f"{rule} 15 W {MISSED} # open=2")
    assert pack([path], tmp_path / "set")["proven"] == proven
    assert json.loads((tmp_path / "set" / "meta.json").read_text())["proven"] == proven
    plies = np.arange(2, 14)
    batch = make_batch(open_set(tmp_path / "set"), np.zeros(12, int), plies)
    won = (plies % 2 == 1) | ((plies == 12) & bool(proven))
    assert (batch.value == np.where(won[:, None], [1, 0, 0], [0, 0, 1])).all()
    assert batch.policy[plies == 12, 12 * 15 + 2] == 1, "the move played stays the target"


def test_evaluations_of_the_file_are_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "teacher.txt"
    path.write_text(f"freestyle 15 W {MISSED} # open=2 eval={','.join(['7'] * 12)}")
    assert pack([path], tmp_path / "set")["proven"] == 0
    assert (open_set(tmp_path / "set").evals[2:] == 7).all()


def distances(board: np.ndarray) -> list[int]:
    y, x = np.nonzero(board)
    return sorted(((y[:, None] - y) ** 2 + (x[:, None] - x) ** 2).ravel().tolist())


def test_symmetries_and_shifts_keep_stones_together_and_edges_out_of_sight(data: DataSet) -> None:
    rng = np.random.default_rng(0)
    moved = 0
    for game, ply in epoch_batches(data, Sampling(), 16, rng)[:8]:
        plain, turned = make_batch(data, game, ply), make_batch(data, game, ply, rng)
        for before, after, chosen in zip(plain.boards, turned.boards, turned.chosen, strict=True):
            assert distances(before) == distances(after)
            assert (before == 1).sum() == (after == 1).sum()
            assert after.ravel()[chosen] == 0
            moved += not np.array_equal(before, after)
    assert moved > 50


def test_a_shift_needs_room_on_both_sides() -> None:
    from training.positions import SIGHT, axis_shift

    rng = np.random.default_rng(0)
    low, high = np.full(500, 6), np.full(500, 12)
    shift = axis_shift(low, high, 20, rng)
    assert set(shift.tolist()) == {-1, 0, 1, 2}
    assert (axis_shift(np.full(9, SIGHT - 1), np.full(9, 8), 20, rng) == 0).all()
    assert (axis_shift(np.full(9, 6), np.full(9, 15), 20, rng) == 0).all()


def test_sampling_favours_some_sources(tmp_path: Path) -> None:
    for name in ("teacher_one", "human_one"):
        (tmp_path / f"{name}.txt").write_text("\n".join(random_lines(50)))
    pack([tmp_path / "teacher_one.txt", tmp_path / "human_one.txt"], tmp_path / "set")
    copies = copies_per_game(open_set(tmp_path / "set"), Sampling(weights=(("teacher", 2.0), ("", 0.5)), balance=False))
    assert copies[:50].sum() == pytest.approx(4 * copies[50:].sum()) and copies[50:].sum() > 0


def test_sampling_favours_late_positions_long_games_and_the_rarer_colour(data: DataSet) -> None:
    copies = copies_per_game(data, Sampling())
    for rule in np.unique(data.games["rule"]):
        black, white = (copies[(data.games["rule"] == rule) & (data.games["result"] == code)].sum() for code in (0, 1))
        assert white == pytest.approx(black, rel=0.4)
    same = (data.games["result"] == 2) & (data.games["rule"] == 0)
    longer, shorter = same & (data.games["length"] >= 14), same & (data.games["length"] <= 6)
    assert copies[longer].mean() > 1.2 * copies[shorter].mean()
    plies = np.concatenate([
        ply / data.games["length"][game]
        for game, ply in epoch_batches(data, Sampling(later=1.0), 8, np.random.default_rng(0))
    ])  # fmt: skip
    flat = np.concatenate([
        ply / data.games["length"][game]
        for game, ply in epoch_batches(data, Sampling(later=0.0), 8, np.random.default_rng(0))
    ])  # fmt: skip
    assert plies.mean() > flat.mean()


def test_search_policies_travel_with_symmetry(tmp_path: Path) -> None:
    path = tmp_path / "selfplay.txt"
    moves = ("a1", "b2", "c3", "d4")
    path.write_text("\n".join(f"freestyle 15 B h8 {move} # policy=,a1:0.5/b3:0.25" for move in moves))
    pack([path], tmp_path / "set")
    packed = open_set(tmp_path / "set")
    game, ply = np.arange(4), np.ones(4, int)
    plain = make_batch(packed, game, ply)
    assert plain.policy[0, 14 * 15] == pytest.approx(2 / 3) and plain.policy[0, 12 * 15 + 1] == pytest.approx(1 / 3)
    turned = make_batch(packed, game, ply, np.random.default_rng(1))
    corners = turned.policy.reshape(4, 15, 15)[:, ::14, ::14]
    assert np.allclose(corners.sum((1, 2)), 2 / 3)


def test_damaged_sets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="no packed data set"):
        open_set(tmp_path)
    path = tmp_path / "games.txt"
    path.write_text("\n".join(random_lines(5)))
    pack([path], tmp_path / "set")
    moves = tmp_path / "set" / "moves.bin"
    moves.write_bytes(moves.read_bytes()[:-2])
    with pytest.raises(GameError, match=r"moves\.bin"):
        open_set(tmp_path / "set")
    pack([path], tmp_path / "set")
    for file in (tmp_path / "set").glob("*.bin"):
        content = file.read_bytes()
        if content:
            file.write_bytes(content[:-1] + bytes([content[-1] ^ 64]))
            with pytest.raises(GameError, match=rf"set/{file.name}: damaged"):
                open_set(tmp_path / "set")
            file.write_bytes(content)
    assert len(open_set(tmp_path / "set").games) == 5
    (tmp_path / "set" / "meta.json").write_text('{"format": 1}')
    with pytest.raises(GameError, match=r"set/meta\.json: format 1 instead of 2; pack the games again"):
        open_set(tmp_path / "set")
    for text in ("", "{", "[]", '{"format": 2}', '{"format": 2, "sources": [], "checksum": 1, "games": null}'):
        (tmp_path / "set" / "meta.json").write_text(text)
        with pytest.raises(GameError, match=r"set/meta\.json: damaged"):
            open_set(tmp_path / "set")


def test_a_failed_packing_names_the_line_and_leaves_the_set_before_it(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("\n".join(random_lines(5)))
    bad.write_text("\n".join([*random_lines(3), "freestyle 15 B h8 p1 #"]))
    pack([good], tmp_path / "set")
    names = {path.name for path in (tmp_path / "set").iterdir()}
    mapped = open_set(tmp_path / "set")
    with pytest.raises(GameError, match=r"bad\.txt:4: move 2 \(p1\) is off the board"):
        pack([good, bad], tmp_path / "set")
    assert {path.name for path in (tmp_path / "set").iterdir()} == names
    assert len(open_set(tmp_path / "set").games) == 5
    moves = mapped.moves.copy()
    bad.write_text("freestyle 15 B h8 h9 #")
    assert pack([bad], tmp_path / "set")["games"] == 1
    assert (mapped.moves == moves).all(), "a set in use stays as it was"


def test_two_packings_do_not_write_to_one_folder(tmp_path: Path) -> None:
    long, short = tmp_path / "long.txt", tmp_path / "short.txt"
    long.write_text("\n".join(random_lines(5)))
    short.write_text("\n".join(random_lines(3)))

    def interrupted() -> Iterator[Path]:
        yield long
        with pytest.raises(WriteError, match="set: another process is writing there"):
            pack([short], tmp_path / "set")

    assert pack(interrupted(), tmp_path / "set")["games"] == 5
    assert len(open_set(tmp_path / "set").games) == 5
    assert pack([short], tmp_path / "set")["games"] == 3, "nobody is writing there any more"


@pytest.mark.skipif(not FULL_DISK.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("name", ["games.bin", "moves.bin", "ends.bin", "meta.json"])
def test_a_full_disk_is_named(tmp_path: Path, name: str) -> None:
    games = tmp_path / "games.txt"
    games.write_text("\n".join(random_lines(5)))
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / f"{name}.part").symlink_to(FULL_DISK)
    with pytest.raises(WriteError, match=rf"set/{name}: cannot be written: .*[Nn]o space"):
        pack([games], tmp_path / "set")


@pytest.mark.skipif(not FULL_DISK.exists(), reason="no /dev/full here")
def test_a_disk_that_fills_up_at_the_end_leaves_the_set_before(tmp_path: Path) -> None:
    games = tmp_path / "games.txt"
    games.write_text("\n".join(random_lines(5)))
    pack([games], tmp_path / "set")
    games.write_text("\n".join(random_lines(6)))
    (tmp_path / "set" / "meta.json.part").symlink_to(FULL_DISK)
    with pytest.raises(WriteError):
        pack([games], tmp_path / "set")
    assert len(open_set(tmp_path / "set").games) == 5


def test_a_file_without_games_is_named_and_leaves_the_set_before(tmp_path: Path) -> None:
    games, none = tmp_path / "games.txt", tmp_path / "none.txt"
    games.write_text("\n".join(random_lines(5)))
    none.write_text("# nothing\n")
    pack([games], tmp_path / "set")
    with pytest.raises(GameError, match=r"none\.txt: no games"):
        pack([games, none], tmp_path / "set")
    assert len(open_set(tmp_path / "set").games) == 5


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="game files (RENGA_DATA) are not here")
def test_the_standard_games_of_the_teacher_pack_cleanly(tmp_path: Path) -> None:
    counts = pack([DATA / "teacher_standard15.txt.gz"], tmp_path)
    packed = open_set(tmp_path)
    assert counts["games"] == len(packed.games) == 2010
    game, _ = chosen_positions(packed, held_out=True)
    assert len(game) == 5211
