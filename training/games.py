"""Game lines <-> records: the text form of a game, its checks and its split. Knows no network and no arrays.

    <rule> <size> <result> <move> <move> ... # key=value ...

Everything wrong with a line is told as a GameError that names the file and the line.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cython_core as core
from bench.notation import RULE_NAMES, read_cell, read_size, write_cell
from cython_core import EMPTY, Board

RULES = {name: number for number, name in RULE_NAMES.items()}
RESULTS = "BWD?"
ENDS = ("five", "draw", "forfeit", "resign", "nofive")
EVAL_SCALE = 200.0
"""Win rate = sigmoid(eval / EVAL_SCALE)."""
PROVEN_EVAL = 30000
"""A win proven in n plies is PROVEN_EVAL - n; n is less than a thousand."""
DECIDED = 29_000
"""An evaluation beyond this is a proven result."""
LONGEST_LINE = 8 << 20
"""Bytes, the line break left out: a policy for every empty cell at every move of a full 32x32 board would fit."""
HELD_OUT_OF = 20
"""One game in this many is held out."""


def game_files(folder: Path) -> list[Path]:
    """The game files in `folder`/games, by name."""
    return sorted(path for ending in ("*.txt", "*.txt.gz") for path in (folder / "games").glob(ending))


class GameError(ValueError):
    """A game line that cannot be used; the text says where and why."""


@dataclass(slots=True)
class Game:
    """One game as it was played; cells are y * 32 + x, black moves first."""

    rule: int
    width: int
    height: int
    result: str
    """B, W, D or ? (unknown)."""
    moves: list[int]
    opening: int = 0
    """How many of the first stones were assigned, not chosen."""
    evals: list[int] | None = None
    """One number for each chosen move, mover's view; see EVAL_SCALE and PROVEN_EVAL."""
    policies: list[dict[int, float]] | None = None
    """Search policy for each chosen move, cell -> share; an empty one: no policy target there."""
    end: str = ""
    """How it ended, one of ENDS, where that is known."""
    tags: dict[str, str] = field(default_factory=dict)
    held_out: bool = False
    """Kept away from training: by the hash of the move list, so the same game is on the same side everywhere."""
    cut: bool = False
    """Black made a foul: the game was cut off before it."""

    @property
    def outcome(self) -> str:
        """The result as far as the position decided it: a game lost by clock or crash says nothing."""
        return "?" if self.end == "forfeit" else self.result


def move_text(cell: int, height: int) -> str:
    """`h8`, the row counted from the bottom."""
    return write_cell(core.xy(cell), height)


def parse_move(text: str, height: int) -> int:
    x, y = read_cell(text, height)
    if y < 0:
        raise ValueError(f"{text} is off the board")
    return core.cell(x, y)


def parse_policy(text: str, height: int) -> dict[int, float]:
    if not text:
        return {}
    pairs = (item.rpartition(":") for item in text.split("/"))
    return {parse_move(move, height): float(share) for move, _, share in pairs}


def parse_game(line: str) -> Game:
    """Reads one line and checks it by replay; raises ValueError with the reason."""
    head, mark, tail = line.partition("#")
    words = head.split()
    if len(words) < 4 or not mark:
        raise ValueError("truncated line: rule, size, result, moves and # expected")
    rule, size, result = words[:3]
    if rule not in RULES:
        raise ValueError(f"unknown rule {rule!r}")
    if result not in tuple(RESULTS):
        raise ValueError(f"unknown result {result!r}")
    width, height = read_size(size)
    game = Game(RULES[rule], width, height, result, [parse_move(word, height) for word in words[3:]])
    game.held_out = int(hashlib.sha256(" ".join(words[3:]).encode()).hexdigest(), 16) % HELD_OUT_OF == 0
    for word in tail.split():
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"key=value expected, not {word!r}")
        if key == "open":
            game.opening = int(value)
        elif key == "eval":
            game.evals = [int(item) for item in value.split(",")] if value else []
        elif key == "policy":
            game.policies = [parse_policy(item, height) for item in value.split(",")]
        elif key == "end":
            if value not in ENDS:
                raise ValueError(f"unknown end {value!r}")
            game.end = value
        else:
            game.tags[key] = value
    check_game(game)
    return game


def check_game(game: Game) -> None:
    """Raises ValueError unless the moves can be played, give the result, and the lists after `#` fit them.

    A game with a foul of black ends before it: what follows is not renju, and nobody should learn the foul.
    """
    chosen = len(game.moves) - game.opening
    if game.opening < 0 or chosen < 0:
        raise ValueError(f"open={game.opening} does not fit {len(game.moves)} moves")
    for name, values in (("eval", game.evals), ("policy", game.policies)):
        if values is not None and len(values) != chosen:
            raise ValueError(f"{len(values)} {name} entries for {chosen} chosen moves")
    if too_large := [score for score in game.evals or [] if abs(score) > PROVEN_EVAL]:
        raise ValueError(f"evaluation {too_large[0]} is beyond {PROVEN_EVAL}")
    board = Board(game.width, game.height, game.rule)
    for number, cell in enumerate(game.moves):
        where = f"move {number + 1} ({move_text(cell, game.height)})"
        if not board.on_board(cell):
            raise ValueError(f"{where} is off the board")
        if board.stone(cell) != EMPTY:
            raise ValueError(f"{where} is on a stone")
        if board.winner != EMPTY:
            raise ValueError(f"{where} comes after a five")
        if game.policies is not None and number >= game.opening:
            check_policy(board, game.policies[number - game.opening], where)
        if not board.legal(cell):
            cut_off(game, number)
            return
        board.play(cell)
    if board.winner == EMPTY and game.end == "five":
        raise ValueError("truncated line: it says end=five, but nobody has made a five")
    if game.end == "draw" and game.result != "D":
        raise ValueError(f"result {game.result}, but end=draw")
    if board.winner != EMPTY and RESULTS[board.winner] != game.result:
        raise ValueError(f"result {game.result}, but {RESULTS[board.winner]} has made a five")


def check_policy(board: Board, policy: dict[int, float], where: str) -> None:
    """Raises ValueError unless the policy gives shares from 0 to 1 to empty cells."""
    for cell, share in policy.items():
        if not board.on_board(cell) or board.stone(cell) != EMPTY:
            raise ValueError(f"the policy of {where} holds {move_text(cell, board.height)}, which cannot be played")
        if not 0 < share <= 1:
            raise ValueError(f"the policy of {where} gives {move_text(cell, board.height)} a share of {share}")


def cut_off(game: Game, plies: int) -> None:
    """Keeps the first `plies` moves and what belongs to them."""
    game.cut = True
    game.moves = game.moves[:plies]
    game.opening = min(game.opening, plies)
    chosen = plies - game.opening
    game.evals = None if game.evals is None else game.evals[:chosen]
    game.policies = None if game.policies is None else game.policies[:chosen]


def format_game(game: Game) -> str:
    """The line `parse_game` reads back."""
    size = str(game.width) if game.width == game.height else f"{game.width}x{game.height}"
    moves = [move_text(cell, game.height) for cell in game.moves]
    words = [RULE_NAMES[game.rule], size, game.result, *moves, "#", f"open={game.opening}"]
    if game.end:
        words.append(f"end={game.end}")
    if game.evals is not None:
        words.append("eval=" + ",".join(map(str, game.evals)))
    if game.policies:
        words.append("policy=" + ",".join(
            "/".join(f"{move_text(cell, game.height)}:{share:.4g}" for cell, share in policy.items())
            for policy in game.policies
        ))
    words += [f"{key}={value}" for key, value in game.tags.items()]
    return " ".join(words)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file, plain or .gz; empty lines and lines of only a comment are left out.

    GameError says what cannot be read; a small archive may hold an endless line, so no more of one is taken than fits.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opener(path, "rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                    raise GameError(
                        f"{path}:{number + 1}: a line of more than {LONGEST_LINE >> 20} MB, that is no game"
                    )
                text = line.decode().strip()
                number += 1
                if text and not text.startswith("#"):
                    yield number, text
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise GameError(f"{path}:{number + 1}: damaged file: {error}") from error
    except OSError as error:
        raise GameError(f"{path}: {error.strerror or error}") from error


def read_games(path: Path) -> Iterator[Game]:
    """The games of a file in order; the first bad line raises GameError."""
    for number, line in read_lines(path):
        try:
            yield parse_game(line)
        except ValueError as error:
            raise GameError(f"{path}:{number}: {error}") from error
