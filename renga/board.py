"""`Board`: a position and how it came about, for people and programs.

Owns what people ask of a position. The rules themselves are the core's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import cython_core as core
from renga.notation import (
    COLOURS,
    RULE_NAMES,
    RULE_NUMBERS,
    Colour,
    Move,
    MoveLike,
    Rule,
    Size,
    read_code,
    read_colour,
    read_move,
    read_rule,
    read_size,
    write_code,
)

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def checked_board(board: Board) -> Board:
    """ValueError unless it is one."""
    if not isinstance(board, Board):
        raise ValueError(f"{board!r} is no board")
    return board


class Board:
    """A position on a board of 5 to 32 columns and rows; black moves first.

    `Board(20, 15)` has 20 columns and 15 rows. Wherever a move is wanted, "h8" will do, or (x, y) counted from 0 at
    the upper left, or a Move. What is wrong with a move, size, rule or code is said by a ValueError.
    """

    __hash__ = None  # type: ignore[assignment]  # a position changes

    def __init__(self, width: int = 15, height: int | None = None, *, rule: str = "freestyle") -> None:
        columns, rows = read_size(width if height is None else (width, height))
        self._core = core.Board(columns, rows, RULE_NUMBERS[read_rule(rule)])

    @classmethod
    def from_code(cls, code: str, size: Size = 15, rule: str = "freestyle") -> Board:
        """The position after the moves of a code such as "h8h7i9", black first; "--" is a turn without a stone.

        A code says where stones stand: it may hold fouls, and stones placed after a five.
        """
        width, height = read_size(size)
        board = cls(width, height, rule=rule)
        for number, move in enumerate(read_code(code, width, height), 1):
            try:
                if move is not None:
                    board._put(move, board.turn)
            except ValueError as error:
                raise ValueError(f"position code, move {number}: {error}") from None
            board._pass()
        board._core.settle()
        return board

    @classmethod
    def from_stones(
        cls,
        black: Iterable[MoveLike] = (),
        white: Iterable[MoveLike] = (),
        turn: str | None = None,
        size: Size = 15,
        rule: str = "freestyle",
    ) -> Board:
        """Stones in no particular order. `turn` is black's where it is not given and both have as many stones, else
        the turn of the side with fewer."""
        width, height = read_size(size)
        board = cls(width, height, rule=rule)
        stones = (list(black), list(white))
        fewer: Colour = "white" if len(stones[0]) > len(stones[1]) else "black"
        # Black and white in turn as far as possible, so that the code of the position is a short one.
        for number in range(max(map(len, stones))):
            for colour, moves in zip(COLOURS, stones, strict=True):
                try:
                    if number < len(moves):
                        board._put(board.move(moves[number]), colour)
                except ValueError as error:
                    raise ValueError(f"{colour} stone {number + 1}: {error}") from None
        board._core.settle()
        board._core.side = COLOURS.index(fewer if turn is None else read_colour(turn))
        return board

    # The position

    @property
    def width(self) -> int:
        return self._core.width

    @property
    def height(self) -> int:
        return self._core.height

    @property
    def rule(self) -> Rule:
        return RULE_NAMES[self._core.rule]

    @property
    def turn(self) -> Colour:
        """Whose turn it is."""
        return COLOURS[self._core.side]

    @property
    def winner(self) -> Colour | None:
        """Who has made a five; None while nobody has, and in a draw."""
        return None if self._core.winner == core.EMPTY else COLOURS[self._core.winner]

    @property
    def is_over(self) -> bool:
        """Has somebody won, or is there no legal move left? The latter is a draw."""
        return self.winner is not None or not any(map(self._core.legal, self._core.all_cells()))

    @property
    def winning_line(self) -> tuple[Move, ...]:
        """The cells of the row that has won, from left to right or top to bottom; empty as long as nobody has."""
        winner = self._core.winner
        if winner == core.EMPTY:
            return ()
        rows = (row for move in reversed(self.moves) for row in self._rows_through(move, winner))
        return next((row for row in rows if self._wins(row, winner)), ())

    @property
    def legal_moves(self) -> list[Move]:
        """Where the side to move may play, row by row from the top; nowhere once somebody has won."""
        return [] if self.winner else [self._move(cell) for cell in self._core.legal_cells()]

    @property
    def forbidden(self) -> list[Move]:
        """Where renju forbids black to play, whoever's turn it is; empty under the other rules."""
        return [self._move(cell) for cell in self._core.all_cells() if self._core.is_foul(cell)]

    @property
    def moves(self) -> list[Move]:
        """The stones in the order they were placed."""
        return [self._move(cell) for cell, _ in self._core.history]

    @property
    def stones(self) -> dict[Move, Colour]:
        """Every stone with its colour, in the order they were placed."""
        return {self._move(cell): COLOURS[colour] for cell, colour in self._core.history}

    @property
    def code(self) -> str:
        """The position code: what `from_code` makes this position of, with the same moves in the same order."""
        moves: list[Move | None] = []
        for cell, colour in self._core.history:
            if len(moves) % 2 != colour:
                moves.append(None)
            moves.append(self._move(cell))
        if len(moves) % 2 != self._core.side:
            moves.append(None)
        return write_code(moves)

    def move(self, move: MoveLike) -> Move:
        """A move of this board from any way to write it; ValueError if it is off the board."""
        return read_move(move, self.width, self.height)

    def stone(self, move: MoveLike) -> Colour | None:
        """The colour of the stone on a cell; None if it is empty."""
        stone = self._core.stone(self._cell(self.move(move)))
        return None if stone == core.EMPTY else COLOURS[stone]

    # Changing it

    def play(self, move: MoveLike) -> Move:
        """A stone of the side to move. ValueError if the game is over or the cell off the board, occupied or forbidden;
        the position then stays as it was."""
        found = self.move(move)
        if self.winner is not None:
            raise ValueError(f"{found} cannot be played: {self.winner} has won")
        if self.turn == "black" and self._core.is_foul(self._cell(found)):
            raise ValueError(f"{found} is forbidden to black")
        self._put(found, self.turn)
        self._pass()
        return found

    def undo(self) -> Move:
        """Takes back the newest stone, whose side is to move then; returns its cell."""
        if not self._core.ply:
            raise ValueError("there is no move to take back")
        cell, colour = self._core.history[-1]
        self._core.undo()
        self._core.settle()
        self._core.side = colour
        return self._move(cell)

    def copy(self) -> Board:
        """An independent board with the same position and history."""
        twin = Board.__new__(type(self))
        twin._core = self._core.copy()
        return twin

    def rotated(self) -> Board:
        """The position after a quarter turn clockwise; the board's width and height change places."""
        height = self.height
        return self._transformed(self.height, self.width, lambda x, y: (height - 1 - y, x))

    def mirrored(self) -> Board:
        """The position with left and right exchanged."""
        width = self.width
        return self._transformed(self.width, self.height, lambda x, y: (width - 1 - x, y))

    def __eq__(self, other: object) -> bool:
        """The same stones, side to move, size and rule; how the stones came there does not matter."""
        if not isinstance(other, Board):
            return NotImplemented
        mine, theirs = self._core, other._core
        return (mine.width, mine.height, mine.rule, mine.side) == (
            theirs.width, theirs.height, theirs.rule, theirs.side,
        ) and dict(mine.history) == dict(theirs.history)  # fmt: skip

    def __repr__(self) -> str:
        size = self.width if self.width == self.height else (self.width, self.height)
        return f"Board.from_code({self.code!r}, size={size!r}, rule={self.rule!r})"

    def __str__(self) -> str:
        """A drawing: X black, O white, the newest stone in brackets."""
        newest = self._core.history[-1][0] if self._core.ply else -1
        columns = [str(Move(x, 0, 1)).rstrip("1") for x in range(self.width)]
        lines = []
        for y in range(self.height):
            line = f"{self.height - y:2} "
            for x in range(self.width):
                cell = core.cell(x, y)
                before = "(" if cell == newest else ")" if x and cell - 1 == newest else " "
                line += before + "XO#."[self._core.stone(cell)]
            lines.append(line + ")" * (newest == core.cell(self.width - 1, y)))
        lines.append("   " + "".join(f"{column:>2}" for column in columns))
        return "\n".join(lines)

    def __getstate__(self) -> tuple[object, ...]:
        return self.width, self.height, self._core.rule, self._core.history, self._core.side

    def __setstate__(self, state: tuple[int, int, int, list[tuple[int, int]], int]) -> None:
        width, height, rule, stones, side = state
        self._core = core.Board(width, height, rule)
        for cell, colour in stones:
            self._core.put(cell, colour)
        self._core.settle()
        self._core.side = side

    # Inside

    def _put(self, move: Move, colour: Colour) -> None:
        """A stone that need not be legal; the side to move stays. Game records hold fouls and moves after the end."""
        cell = self._cell(move)
        if self._core.stone(cell) != core.EMPTY:
            raise ValueError(f"{move} is occupied")
        self._core.put(cell, COLOURS.index(colour))

    def _pass(self) -> None:
        self._core.side = 1 - self._core.side

    def _move(self, cell: int) -> Move:
        return Move(*core.xy(cell), self.height)

    @staticmethod
    def _cell(move: Move) -> int:
        return core.cell(move.x, move.y)

    def _wins(self, row: tuple[Move, ...], colour: int) -> bool:
        """Does an unbroken row win under this board's rule?"""
        rule = core.RULE_BOOK[self._core.rule]
        if len(row) > 5:
            return rule.overline_wins[colour]
        if len(row) < 5 or not rule.blocked_ends:
            return len(row) == 5
        # Not when foreign stones close both ends. The edge of the board closes nothing.
        step = row[1].x - row[0].x, row[1].y - row[0].y
        ends = (row[0].x - step[0], row[0].y - step[1]), (row[-1].x + step[0], row[-1].y + step[1])
        return not all(self._is_stone(*end, 1 - colour) for end in ends)

    def _rows_through(self, move: Move, colour: int) -> Iterable[tuple[Move, ...]]:
        """The unbroken rows of five and more stones of a colour through a cell."""
        for dx, dy in DIRECTIONS:
            row = []
            x, y = move
            while self._is_stone(x - dx, y - dy, colour):
                x, y = x - dx, y - dy
            while self._is_stone(x, y, colour):
                row.append(Move(x, y, self.height))
                x, y = x + dx, y + dy
            if len(row) >= 5:
                yield tuple(row)

    def _is_stone(self, x: int, y: int, colour: int) -> bool:
        on_board = 0 <= x < self.width and 0 <= y < self.height
        return on_board and self._core.stone(core.cell(x, y)) == colour

    def _transformed(self, width: int, height: int, place: Callable[[int, int], tuple[int, int]]) -> Board:
        board = Board(width, height, rule=self.rule)
        for cell, colour in self._core.history:
            board._put(Move(*place(*core.xy(cell)), height), COLOURS[colour])
        board._core.settle()
        board._core.side = self._core.side
        return board
