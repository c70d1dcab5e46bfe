"""The Python face of a position: checked verbs and questions over `board` and `forbidden`."""

from libc.string cimport memcpy

from cython_core.rules.board cimport *
from cython_core.rules.forbidden cimport is_foul
from cython_core.rules.memory cimport aligned_free, aligned_malloc


def cell(int x, int y):
    """The cell in column x, row y (both from 0, as in the protocol)."""
    return y * STRIDE + x


def xy(int cell):
    """Column and row of a cell: the inverse of `cell`."""
    return cell % STRIDE, cell // STRIDE


cdef class Board:
    """A position. Sizes 5..32 either way, rule 0, 1, 4, 8 or 9; black moves first."""

    def __cinit__(self, int width, int height, int rule):
        if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
            raise ValueError(f"board {width}x{height} is outside {MIN_SIZE}..{MAX_SIZE}")
        prepare_tables(rule)
        self.state = <BoardState*>aligned_malloc(sizeof(BoardState))
        if self.state is NULL:
            raise MemoryError("no memory for a board")
        clear(self.state, width, height, rule)

    def __dealloc__(self):
        aligned_free(self.state)

    def copy(self):
        """An independent board in the same position with the same history."""
        cdef Board twin = Board(self.state.width, self.state.height, self.state.rule.number)
        memcpy(twin.state, self.state, sizeof(BoardState))
        return twin

    @property
    def width(self):
        return self.state.width

    @property
    def height(self):
        return self.state.height

    @property
    def rule(self):
        return self.state.rule.number

    @property
    def ply(self):
        """Stones on the board."""
        return self.state.ply

    @property
    def empties(self):
        return self.state.empties

    @property
    def key(self):
        """64-bit hash of stones, side to move, rule and size; the same in every run."""
        return self.state.key

    @property
    def winner(self):
        """Who made a five with a stone so far: BLACK, WHITE or EMPTY."""
        return self.state.winner

    @property
    def side(self):
        """Whose turn it is; may be set."""
        return self.state.side

    @side.setter
    def side(self, int side):
        if side not in (BLACK, WHITE):
            raise ValueError(f"no such side: {side}")
        set_side(self.state, side)

    cdef int checked(self, int cell) except -1:
        if not on_board(self.state, cell):
            raise ValueError(f"cell {cell} is off the board")
        return cell

    cdef int vacant(self, int cell) except -1:
        if self.state.cells[self.checked(cell)].stone != EMPTY:
            x, y = xy(cell)
            raise ValueError(f"{x},{y} is occupied")
        return cell

    def play(self, int cell):
        """A stone of the side to move; the turn passes. ValueError if off the board or occupied."""
        play(self.state, self.vacant(cell))

    def put(self, int cell, int colour):
        """A stone of any colour; the side to move stays."""
        if colour not in (BLACK, WHITE, BLOCKED):
            raise ValueError(f"no such colour: {colour}")
        place(self.state, self.vacant(cell), colour)

    def settle(self):
        """Decides anew who has won, by the stones as they lie: they may have been put in any order."""
        settle(self.state)

    def undo(self):
        """Takes back the newest stone, played or put."""
        if self.state.ply == 0:
            raise ValueError("no stone to take back")
        undo(self.state)

    def on_board(self, int cell):
        return on_board(self.state, cell)

    def stone(self, int cell):
        """What stands on a cell: BLACK, WHITE, BLOCKED or EMPTY."""
        return self.state.cells[self.checked(cell)].stone

    def is_foul(self, int cell):
        """Would a black stone here be a renju foul? False on occupied cells and under other rules."""
        return is_foul(self.state, self.checked(cell))

    def legal(self, int cell):
        """May the side to move play here?"""
        if not on_board(self.state, cell) or self.state.cells[cell].stone != EMPTY:
            return False
        return self.state.side != BLACK or not is_foul(self.state, cell)

    def all_cells(self):
        """Every cell, row by row from the top."""
        cdef int x, y
        return [y * STRIDE + x for y in range(self.state.height) for x in range(self.state.width)]

    def legal_cells(self):
        """The cells where the side to move may play, row by row from the top."""
        return [cell for cell in self.all_cells() if self.legal(cell)]

    @property
    def history(self):
        """Stones in the order they came, as (cell, colour)."""
        return [(self.state.moves[i].cell, self.state.moves[i].colour) for i in range(self.state.ply)]

    def shape(self, int cell, int colour, int direction):
        """Shape a stone of this colour would make here along one direction (0..3); DEAD on occupied cells."""
        if colour not in (BLACK, WHITE) or not 0 <= direction < DIRECTIONS:
            raise ValueError(f"no such colour or direction: {colour}, {direction}")
        return shape_in(self.state, self.checked(cell), colour, direction)

    def window(self, int cell, int colour, int direction):
        """Index of the window around a cell along one direction (0..3), as this colour sees it."""
        if colour not in (BLACK, WHITE) or not 0 <= direction < DIRECTIONS:
            raise ValueError(f"no such colour or direction: {colour}, {direction}")
        return (self.state.cells[self.checked(cell)].code[direction] >> (32 * colour)) & <uint64_t>0xFFFFFFFF

    def class_of(self, int cell, int colour):
        """Class of a cell for a colour."""
        if colour not in (BLACK, WHITE):
            raise ValueError(f"no such colour: {colour}")
        return self.state.cells[self.checked(cell)].class_of[colour]

    def count(self, int colour, int klass):
        """How many cells have this class (CLASS_THREE and up) for this colour."""
        self.check_class(colour, klass)
        return self.state.class_count[colour][klass]

    def cells(self, int colour, int klass):
        """The cells of a class (CLASS_THREE and up) for a colour, ascending."""
        cdef int16_t found[CELLS]
        self.check_class(colour, klass)
        return [found[i] for i in range(cells_of_class(self.state, colour, klass, found))]

    cdef int check_class(self, int colour, int klass) except -1:
        if colour not in (BLACK, WHITE) or not CLASS_THREE <= klass < CLASSES:
            raise ValueError(f"no such colour or class: {colour}, {klass}")
        return 0

    def __repr__(self):
        rows = []
        for y in range(self.state.height):
            rows.append(" ".join("XO#."[self.state.cells[y * STRIDE + x].stone] for x in range(self.state.width)))
        return "\n".join(rows)
