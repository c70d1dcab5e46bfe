"""Replays a winner's strategy against every reply, and finds the replies that break it.

The same check as `renga.verify` makes, on the board of the core and thirty times as fast or more; the certificate is
checked there again. Where the strategy goes on whatever the loser does, it is replayed once as if he had passed, and
the footprint collected: the cells where one more stone of his could change that replay. Only those are tried.
Rules without fouls only: a foul depends on stones far away.
"""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from cython_core.rules.board cimport BoardState, STEP, empty_row, first_of_class, place, shape_in, undo
from cython_core.rules.cellset cimport add_cell, is_in, lowest_bit, whole_row
from cython_core.rules.patterns cimport *
from cython_core.rules.position cimport Board
from cython_core.rules.typedefs cimport *

cdef enum:
    NO_STEP = -1
    LEAST_KEPT = 1 << 10    # replays remembered, so that what several orders of moves lead to is replayed once
    MOST_KEPT = 1 << 17
    ROW_OF_FIVE = 5

ctypedef struct Print:      # a set of cells
    uint32_t rows[MAX_SIZE]

ctypedef struct Kept:
    uint64_t key            # of stones, step and passes
    int plies
    Print footprint

ctypedef struct Replay:
    BoardState* board
    int winner
    long left               # stones that may be placed
    const int16_t* moves
    const int32_t* following    # the next step of the chain, or NO_STEP
    const int32_t* tables       # where the table of a step begins; the next one's beginning is its end
    const int16_t* replies
    const int32_t* targets
    Kept* kept
    uint64_t kept_mask


cdef inline void join(Print* into, const Print* cells) noexcept nogil:
    cdef int y
    for y in range(MAX_SIZE):
        into.rows[y] |= cells.rows[y]


cdef void add_five(const BoardState* b, int cell, int colour, Print* out) noexcept nogil:
    """The row of the five that a stone on `cell` makes, and the cells at its ends."""
    cdef int direction, way, reach, distance
    for direction in range(DIRECTIONS):
        if shape_in(b, cell, colour, direction) != FIVE:
            continue
        add_cell(out.rows, cell)
        for way in range(-1, 2, 2):
            reach = b.cells[cell].ahead[direction] if way > 0 else b.cells[cell].behind[direction]
            for distance in range(1, reach + 1):
                add_cell(out.rows, cell + way * distance * STEP[direction])
                if b.cells[cell + way * distance * STEP[direction]].stone != colour:
                    break
        return


cdef inline uint32_t moved(uint32_t row, int columns) noexcept nogil:
    return row >> columns if columns >= 0 else row << -columns


cdef void add_near_fives(const BoardState* b, int colour, int missing, Print* out) noexcept nogil:
    """The empty cells of rows of five without a foreign stone that lack at most `missing` stones of the colour."""
    cdef uint32_t own[ROW_OF_FIVE]
    cdef uint32_t rows, low, twos, ones, others, enough
    cdef uint32_t empty[MAX_SIZE]
    cdef int y, i, direction, columns, lines
    for y in range(b.height):
        empty[y] = empty_row(b, y)
    for direction in range(DIRECTIONS):
        columns = 0 if direction == 1 else -1 if direction == 3 else 1
        lines = 0 if direction == 0 else 1
        for y in range(b.height - 4 * lines):
            rows = whole_row(b.width)
            for i in range(ROW_OF_FIVE):
                own[i] = moved(b.stone_rows[colour][y + i * lines], i * columns)
                rows &= own[i] | moved(empty[y + i * lines], i * columns)
            if rows == 0:
                continue
            # Every row's stones, counted at once: ones + 2 * (twos + others).
            low = own[0] ^ own[1] ^ own[2]
            twos = (own[0] & own[1]) | (own[2] & (own[0] ^ own[1]))
            ones = low ^ own[3] ^ own[4]
            others = (low & own[3]) | (own[4] & (low ^ own[3]))
            enough = twos & others
            if missing > 1:
                enough |= (twos | others) & (ones if missing == 2 else ~<uint32_t>0)
            if missing > 3:
                enough |= ones if missing == 4 else ~<uint32_t>0
            rows &= enough
            if rows:
                for i in range(ROW_OF_FIVE):
                    out.rows[y + i * lines] |= moved(rows, -i * columns) & empty[y + i * lines]


cdef int walk(Replay* r, int step, int passes, Print* out) noexcept nogil:
    """The winner is to move and follows the steps from here: plies to the five, 0 if it fails. `passes` stones of the
    loser are still to come, outside the footprint that joins `out`."""
    cdef BoardState* b = r.board
    cdef int move = r.moves[step], plies
    cdef uint64_t key
    cdef Kept* kept
    cdef Print footprint
    if b.cells[move].stone != EMPTY:
        return 0
    if b.cells[move].class_of[r.winner] == CLASS_FIVE:
        add_five(b, move, r.winner, out)
        return 1
    key = b.key ^ (<uint64_t>(step * 8 + min(passes, 7)) * <uint64_t>0x9E3779B97F4A7C15)
    kept = &r.kept[(key ^ (key >> 29)) & r.kept_mask]
    if kept.key == key and kept.plies:
        join(out, &kept.footprint)
        return kept.plies
    r.left -= 1
    if r.left < 0:
        return 0
    memset(&footprint, 0, sizeof(Print))
    add_cell(footprint.rows, move)
    place(b, move, r.winner)
    plies = answers(r, step, passes, &footprint)
    undo(b)
    if plies == 0:
        return 0
    join(out, &footprint)
    kept.key = key
    kept.plies = plies + 1
    kept.footprint = footprint
    return plies + 1


cdef int answers(Replay* r, int step, int passes, Print* out) noexcept nogil:
    """The loser is to move, and every reply of his must lose: plies to the five, 0 if one does not."""
    cdef BoardState* b = r.board
    cdef int loser = 1 - r.winner, following = r.following[step], plies = 0, length, i, y, cell
    cdef uint32_t left
    cdef Print critical, tried
    if b.class_count[loser][CLASS_FIVE] or b.empties <= passes:
        return 0
    if passes:
        add_near_fives(b, loser, 1 + passes, out)
    memset(&critical, 0, sizeof(Print))
    memset(&tried, 0, sizeof(Print))
    if b.class_count[r.winner][CLASS_FIVE]:
        add_five(b, first_of_class(b, r.winner, CLASS_FIVE), r.winner, &critical)
        join(out, &critical)
        plies = 2
    elif following != NO_STEP:
        plies = walk(r, following, passes + 1, &critical)
        if plies == 0:
            return 0
        plies += 1
        join(out, &critical)
    else:
        for y in range(b.height):
            critical.rows[y] = whole_row(b.width)
    for i in range(r.tables[step], r.tables[step + 1]):
        cell = r.replies[i]
        add_cell(tried.rows, cell)
        if b.cells[cell].stone != EMPTY:
            continue    # the line is used in another position
        place(b, cell, loser)
        length = walk(r, r.targets[i], passes, out)
        undo(b)
        if length == 0:
            return 0
        plies = max(plies, length + 1)
    for y in range(b.height):
        left = critical.rows[y] & ~tried.rows[y]
        while left:
            cell = y * STRIDE + lowest_bit(left)
            left &= left - 1
            if b.cells[cell].stone != EMPTY:
                continue
            r.left -= 1
            place(b, cell, loser)
            if b.class_count[r.winner][CLASS_FIVE]:
                add_five(b, first_of_class(b, r.winner, CLASS_FIVE), r.winner, out)
                length = 1
            else:
                length = 0 if following == NO_STEP else walk(r, following, passes, out)
            undo(b)
            if length == 0:
                return 0
            plies = max(plies, length + 1)
    return plies


cdef bint find_escapes(Replay* r, Print* breaking) noexcept nogil:
    """The replies after which the strategy fails; False if it fails after a pass already, or the stones are used up."""
    cdef BoardState* b = r.board
    cdef Print footprint, ignored
    cdef int y, x, cell
    memset(&footprint, 0, sizeof(Print))
    if b.class_count[1 - r.winner][CLASS_FIVE] or walk(r, 0, 1, &footprint) == 0:
        return False
    for y in range(b.height):
        for x in range(b.width if footprint.rows[y] else 0):
            cell = y * STRIDE + x
            if not is_in(footprint.rows, cell) or b.cells[cell].stone != EMPTY:
                continue
            place(b, cell, 1 - r.winner)
            if walk(r, 0, 0, &ignored) == 0:
                add_cell(breaking.rows, cell)
            undo(b)
            if r.left < 0:
                return False
    return True


cdef class Strategy:
    """A strategy of the winner, who is to move, ready for replays: steps with `move`, `replies` (reply -> step) and
    `otherwise` (a step, or None)."""
    cdef int16_t* moves
    cdef int32_t* following
    cdef int32_t* tables
    cdef int16_t* replies
    cdef int32_t* targets
    cdef readonly int steps

    def __init__(self, root):
        order, numbers = [root], {id(root): 0}
        table_entries = 0
        for step in order:      # grows on the way
            table_entries += len(step.replies)
            for other in (*step.replies.values(), step.otherwise):
                if other is not None and id(other) not in numbers:
                    numbers[id(other)] = len(order)
                    order.append(other)
        self.steps = len(order)
        self.moves = <int16_t*>malloc(self.steps * sizeof(int16_t))
        self.following = <int32_t*>malloc(self.steps * sizeof(int32_t))
        self.tables = <int32_t*>malloc((self.steps + 1) * sizeof(int32_t))
        self.replies = <int16_t*>malloc(max(1, table_entries) * sizeof(int16_t))
        self.targets = <int32_t*>malloc(max(1, table_entries) * sizeof(int32_t))
        if (self.moves is NULL or self.following is NULL or self.tables is NULL or self.replies is NULL
                or self.targets is NULL):
            raise MemoryError("no memory for a strategy")
        self.tables[0] = at = 0
        for number, step in enumerate(order):
            self.moves[number] = step.move
            self.following[number] = NO_STEP if step.otherwise is None else numbers[id(step.otherwise)]
            for reply, answer in step.replies.items():
                self.replies[at] = reply
                self.targets[at] = numbers[id(answer)]
                at += 1
            self.tables[number + 1] = at

    def __dealloc__(self):
        free(self.moves)
        free(self.following)
        free(self.tables)
        free(self.replies)
        free(self.targets)

    cdef Replay replay(self, Board board, int winner, long stones) except *:
        cdef Replay r
        cdef int i
        if winner not in (BLACK, WHITE):
            raise ValueError(f"no such side: {winner}")
        if board.state.rule.fouls:
            raise ValueError("a replay needs a rule without fouls")
        if board.state.winner != EMPTY:
            raise ValueError("the game is over")
        for i in range(self.steps):
            board.checked(self.moves[i])
        for i in range(self.tables[self.steps]):
            board.checked(self.replies[i])
        r.board, r.winner, r.left = board.state, winner, stones
        r.moves, r.following, r.tables = self.moves, self.following, self.tables
        r.replies, r.targets = self.replies, self.targets
        r.kept_mask = LEAST_KEPT
        while r.kept_mask < MOST_KEPT and r.kept_mask < 16 * <uint64_t>self.steps:
            r.kept_mask *= 2
        r.kept = <Kept*>calloc(r.kept_mask, sizeof(Kept))
        r.kept_mask -= 1
        if r.kept is NULL:
            raise MemoryError("no memory for a replay")
        return r

    def plies(self, Board board, int winner, long stones):
        """Plies to the five at most if the winner, moving now, follows the strategy; None if it does not win, or not
        within `stones` placed."""
        cdef Replay r = self.replay(board, winner, stones)
        cdef Print footprint
        cdef int found
        with nogil:
            found = walk(&r, 0, 0, &footprint)
        free(r.kept)
        return found or None

    def escapes(self, Board board, int winner, long stones):
        """The replies of the loser, whose turn it is, after which the strategy no longer wins. None: it does not even
        win after a pass, the loser has a five, or all this takes more stones."""
        cdef Replay r = self.replay(board, winner, stones)
        cdef Print breaking
        cdef bint whole
        memset(&breaking, 0, sizeof(Print))
        with nogil:
            whole = find_escapes(&r, &breaking)
        free(r.kept)
        if not whole:
            return None
        return [cell for cell in range(CELLS) if is_in(breaking.rows, cell)]
