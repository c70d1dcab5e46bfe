"""training.games: the text form of games, replayed and checked."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from training.games import LONGEST_LINE, GameError, format_game, move_text, parse_game, parse_move, read_games

FIVE = "freestyle 15 B h8 h9 i8 i9 j8 j9 k8 k9 l8 # open=2 end=five eval=10,-20,300,-400,29997,-29998,29999"


def test_a_line_is_read_and_written_back() -> None:
    game = parse_game(FIVE)
    assert (game.rule, game.width, game.height, game.result, game.opening) == (0, 15, 15, "B", 2)
    assert game.moves[0] == 7 * 32 + 7
    assert parse_game(format_game(game)) == game


def test_policies_survive_the_text_form() -> None:
    line = "renju 20x15 ? a1 t15 b2 # open=1 policy=a2:0.75/c3:0.25,"
    game = parse_game(line)
    assert game.policies == [{13 * 32: 0.75, 12 * 32 + 2: 0.25}, {}]
    assert (game.width, game.height) == (20, 15)
    assert parse_game(format_game(game)).policies == game.policies


@pytest.mark.parametrize("cell", [0, 25, 26, 31, 31 * 32 + 31, 7 * 32 + 7])
def test_every_column_to_32_has_a_name(cell: int) -> None:
    assert parse_move(move_text(cell, 32), 32) == cell


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("freestyle 15 B # open=0", "truncated"),
        (FIVE.partition(" #")[0], "truncated"),
        (FIVE.replace("j9 k8 k9 l8", "j9"), "7 eval entries for 4"),
        ("freestyle 15 B h8 h9 i8 i9 j8 # open=0 end=five", "truncated line: .* nobody has made a five"),
        ("freestyle 15 B h8 # open=0 end=fi", "unknown end 'fi'"),
        ("freestyle 15 B h8 # open=", "invalid literal"),
        ("freestyle 15 B h8 # ope", "key=value expected, not 'ope'"),
        ("chess 15 B h8 #", "unknown rule"),
        ("freestyle 15 X h8 #", "unknown result"),
        ("freestyle 40 B h8 #", "5 to 32 rows"),
        ("freestyle 15 B h8 88 #", "'88' is no cell"),
        ("freestyle 32 B h8 a33 #", "'a33' is no cell"),
        ("freestyle 15 B h8 p1 #", "off the board"),
        ("freestyle 15 B h8 h8 #", "on a stone"),
        (FIVE.replace("l8", "l8 l9").replace("29999", "29999,1"), "after a five"),
        (FIVE.replace(" B ", " W "), "has made a five"),
        ("freestyle 15 ? h8 h9 i8 # eval=1,2", "2 eval entries"),
        ("freestyle 15 ? h8 # eval=40000", "evaluation 40000 is beyond 30000"),
        ("freestyle 15 ? h8 h9 i8 # open=5", "open=5"),
        ("freestyle 15 ? h8 h9 # policy=h8:1,h8:1", r"policy of move 2 \(h9\) holds h8"),
        ("freestyle 15 ? h8 # policy=p1:1", "holds p1, which cannot be played"),
        ("freestyle 15 ? h8 # policy=a1:nan", "gives a1 a share of nan"),
        ("freestyle 15 ? h8 # policy=a1:-0.5", "share of -0.5"),
        ("freestyle 15 ? h8 # policy=a1:70000", "share of 70000"),
        ("freestyle 15 B h8 # open=0 end=draw", "result B, but end=draw"),
        ("freestyle 15 ? h8 # policy=a1:x", "could not convert"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_game(line)


def test_a_renju_game_ends_before_black_makes_a_foul() -> None:
    # k8 makes an open three with h8 i8 and another one with k9 k10.
    game = parse_game("renju 15 W h8 a1 i8 c1 k9 e1 k10 g1 k8 a3 # eval=" + ",".join("1" * 10))
    assert len(game.moves) == 8 and game.cut
    assert game.evals == [1] * 8


def test_a_forfeit_says_nothing_of_the_position() -> None:
    assert parse_game("freestyle 15 B h8 h9 # open=0 end=forfeit").outcome == "?"
    assert parse_game("freestyle 15 B h8 h9 # open=0 end=resign").outcome == "B"


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text(f"{FIVE}\n\n# a comment\nfreestyle 15 B h8 h8 #\n")
    with pytest.raises(GameError, match=r"games\.txt:4: move 2 \(h8\) is on a stone"):
        list(read_games(path))
    with pytest.raises(GameError, match=r"missing\.txt"):
        list(read_games(tmp_path / "missing.txt"))


def test_a_truncated_archive_is_an_error_after_its_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "games.txt.gz"
    whole = gzip.compress("\n".join([FIVE] * 3000).encode(), compresslevel=0)
    path.write_bytes(whole[: len(whole) // 2])
    games = read_games(path)
    assert next(games).result == "B"
    with pytest.raises(GameError, match=r"games\.txt\.gz:\d+: "):
        list(games)


@pytest.mark.parametrize("name", ["games.txt", "games.txt.gz"])
def test_a_line_that_is_no_text_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    content = "\n".join([FIVE] * 7).encode() + b"\nfreestyle 15 \xff\n" + FIVE.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    games = read_games(path)
    assert [next(games).result for _ in range(7)] == ["B"] * 7
    with pytest.raises(GameError, match=rf"{name}:8: damaged file: "):
        next(games)


def test_an_archive_that_unpacks_to_an_endless_line_is_named_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "games.txt.gz"
    unpacked = 16 << 20
    path.write_bytes(gzip.compress(f"{FIVE}\n\n".encode()) + 20 * gzip.compress(b"a" * unpacked, compresslevel=1))
    games = read_games(path)
    assert next(games).result == "B"
    tracemalloc.start()
    try:
        with pytest.raises(GameError, match=r"games\.txt\.gz:3: a line of more than 8 MB, that is no game$"):
            next(games)
        assert tracemalloc.get_traced_memory()[1] < 4 * LONGEST_LINE < 20 * unpacked
    finally:
        tracemalloc.stop()


def test_the_longest_line_that_is_allowed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    longest = FIVE + " note=".ljust(LONGEST_LINE - len(FIVE), "x")
    path.write_text(f"{longest}\n{FIVE}\n{longest}")
    room = LONGEST_LINE - len(FIVE) - len(" note=")
    assert [len(game.tags.get("note", "")) for game in read_games(path)] == [room, 0, room]
    path.write_text(f"{FIVE}\n{longest}x\n")
    with pytest.raises(GameError, match=r"games\.txt:2: a line of more than 8 MB"):
        list(read_games(path))


def test_one_game_in_twenty_is_held_out_by_its_moves_alone() -> None:
    cells = [x + 32 * y for x in range(7) for y in range(15)]
    lines = [f"freestyle 15 {result} h8 {move_text(cell, 15)} #" for result in "BD" for cell in cells]
    games = [parse_game(line) for line in lines]
    held = [game.held_out for game in games]
    assert held[: len(held) // 2] == held[len(held) // 2 :]
    assert 1 <= sum(held) / 2 <= 20
