"""The position: stones, windows, shapes, classes and their counters, kept up to date by every stone.

`place`, `play` and `undo` are the only ways to change a position. Fouls are not decided here: see `forbidden`.
"""

from libc.string cimport memset

from cython_core.rules.cellset cimport *
from cython_core.rules.rng cimport mixed

STEP[:] = [1, STRIDE, STRIDE + 1, 1 - STRIDE]

cdef uint64_t zobrist[3][CELLS]
cdef uint64_t zobrist_white_to_move
# Index step of a stone in the windows of a neighbour: both colours' codes change with one addition.
cdef uint64_t code_step[3][2][6][6]     # [colour][0 stone is behind the neighbour, 1 ahead][visible][distance]


cdef void fill_constants() noexcept:
    cdef int colour, cell, visible, distance, seen_by_black, seen_by_white
    cdef uint64_t weight
    for colour in range(3):
        for cell in range(CELLS):
            zobrist[colour][cell] = mixed(<uint64_t>(colour * CELLS + cell + 1))
        seen_by_black = 1 if colour == BLACK else 2
        seen_by_white = 1 if colour == WHITE else 2
        for visible in range(REACH + 1):
            for distance in range(REACH + 1):
                weight = SIDE_WEIGHT[visible][distance]
                weight = weight * seen_by_black + ((weight * seen_by_white) << 32)
                code_step[colour][0][visible][distance] = weight * SIDE_CODES
                code_step[colour][1][visible][distance] = weight
    global zobrist_white_to_move
    zobrist_white_to_move = mixed(0x5157)

fill_constants()


cdef int visible_cells(int width, int height, int x, int y, int dx, int dy) noexcept nogil:
    cdef int seen = 0
    while seen < REACH:
        x += dx
        y += dy
        if not (0 <= x < width and 0 <= y < height):
            break
        seen += 1
    return seen


cdef void set_class(BoardState* b, int cell, int colour, int klass) noexcept nogil:
    """Moves a cell to another class set."""
    cdef int row = row_of(cell)
    cdef uint32_t bit = bit_of(cell)
    cdef int before = b.cells[cell].class_of[colour]
    b.cells[cell].class_of[colour] = klass
    if before >= CLASS_THREE:
        b.class_rows[colour][before][row] ^= bit
        b.class_count[colour][before] -= 1
        if b.class_rows[colour][before][row] == 0:
            b.class_row_mask[colour][before] ^= <uint32_t>1 << row
    if klass >= CLASS_THREE:
        b.class_rows[colour][klass][row] |= bit
        b.class_count[colour][klass] += 1
        b.class_row_mask[colour][klass] |= <uint32_t>1 << row


cdef void clear(BoardState* b, int width, int height, int rule) noexcept nogil:
    cdef int x, y, direction, dx, dy, colour
    cdef uint64_t index
    cdef Cell* cell
    memset(b, 0, sizeof(BoardState) - sizeof(b.log))
    b.width = width
    b.height = height
    b.rule = find_rule(rule)[0]
    b.tables = tables_of(&b.rule)
    b.side = BLACK
    b.winner = EMPTY
    b.empties = width * height
    b.shape_reach = 5
    if b.rule.overline_wins[BLACK] and b.rule.overline_wins[WHITE] and not b.rule.blocked_ends:
        b.shape_reach = 4
    b.key = mixed((<uint64_t>rule << 48) ^ (<uint64_t>width << 56) ^ (<uint64_t>height << 40))
    for y in range(MAX_SIZE):
        for x in range(MAX_SIZE):
            cell = &b.cells[y * STRIDE + x]
            cell.stone = EMPTY if x < width and y < height else BLOCKED
            if cell.stone != EMPTY:
                continue
            for direction in range(DIRECTIONS):
                dx = 0 if direction == 1 else 1
                dy = 0 if direction == 0 else (-1 if direction == 3 else 1)
                cell.behind[direction] = visible_cells(width, height, x, y, -dx, -dy)
                cell.ahead[direction] = visible_cells(width, height, x, y, dx, dy)
                index = SIDE_BASE[cell.behind[direction]] * SIDE_CODES + SIDE_BASE[cell.ahead[direction]]
                cell.code[direction] = index | (index << 32)
                for colour in range(2):
                    cell.shapes[colour] |= b.tables.shape[colour][index] << (4 * direction)
            for colour in range(2):
                set_class(b, y * STRIDE + x, colour, b.tables.class_of[colour][cell.shapes[colour]])


# What all lines of a stone need of the rule. Read once: the compiler cannot know that what a stone changes is never this.
ctypedef struct Sight:
    const uint8_t* black_shape
    const uint8_t* white_shape
    int reach


cdef inline void refresh(BoardState* b, Cell* cell, int direction, const Sight* sight) noexcept nogil:
    """Brings shapes and classes of an empty cell up to date after its window in one direction has changed."""
    cdef uint64_t code = cell.code[direction]
    cdef uint32_t black = sight.black_shape[<uint32_t>code]
    cdef uint32_t white = sight.white_shape[code >> 32]
    cdef int shift = 4 * direction
    cdef uint32_t black_change = ((cell.shapes[BLACK] >> shift) & 15) ^ black
    cdef uint32_t white_change = ((cell.shapes[WHITE] >> shift) & 15) ^ white
    if not (black_change | white_change):
        return
    cdef int index = cell - b.cells
    log_cell(b, cell, index)
    cdef int klass
    cell.shapes[BLACK] ^= black_change << shift
    cell.shapes[WHITE] ^= white_change << shift
    klass = b.tables.class_of[BLACK][cell.shapes[BLACK]]
    if klass != cell.class_of[BLACK]:
        set_class(b, index, BLACK, klass)
    klass = b.tables.class_of[WHITE][cell.shapes[WHITE]]
    if klass != cell.class_of[WHITE]:
        set_class(b, index, WHITE, klass)


cdef inline void log_cell(BoardState* b, const Cell* cell, int index) noexcept nogil:
    """Writes the present shapes and classes of a cell to the undo log."""
    cdef Change* change = &b.log[b.log_length]
    b.log_length += 1
    change.cell = index
    change.shapes[BLACK] = cell.shapes[BLACK]
    change.shapes[WHITE] = cell.shapes[WHITE]
    change.class_of[BLACK] = cell.class_of[BLACK]
    change.class_of[WHITE] = cell.class_of[WHITE]


cdef inline void update_ray(BoardState* b, Cell* near, int direction, int step, int length, const uint64_t* steps,
                            int way, const Sight* sight) noexcept nogil:
    """Updates the cells on one side of a new stone; `way` 0: they see it behind them, 1: ahead of them."""
    cdef int distance
    for distance in range(1, length + 1):
        near += step
        near.code[direction] += steps[(near.ahead[direction] if way else near.behind[direction]) * 6 + distance]
        if near.stone == EMPTY and distance <= sight.reach:
            refresh(b, near, direction, sight)


cdef inline void update_line(BoardState* b, Cell* centre, int direction, int step, int colour,
                             const Sight* sight) noexcept nogil:
    update_ray(b, centre, direction, step, centre.ahead[direction], &code_step[colour][0][0][0], 0, sight)
    update_ray(b, centre, direction, -step, centre.behind[direction], &code_step[colour][1][0][0], 1, sight)


cdef void place(BoardState* b, int cell, int colour) noexcept nogil:
    cdef Cell* centre = &b.cells[cell]
    cdef Move* move = &b.moves[b.ply]
    cdef Sight sight
    sight.black_shape, sight.white_shape, sight.reach = b.tables.shape[BLACK], b.tables.shape[WHITE], b.shape_reach
    move.cell = cell
    move.colour = colour
    move.side_before = b.side
    move.winner_before = b.winner
    move.log_before = b.log_length
    if colour < BLOCKED and centre.class_of[colour] == CLASS_FIVE:
        b.winner = colour
    b.ply += 1
    b.empties -= 1
    b.key ^= zobrist[colour][cell]
    add_cell(b.stone_rows[colour], cell)

    log_cell(b, centre, cell)
    set_class(b, cell, BLACK, NOTHING)
    set_class(b, cell, WHITE, NOTHING)
    centre.shapes[BLACK] = 0
    centre.shapes[WHITE] = 0
    centre.stone = colour

    # Written out, here and in `undo`: with directions and steps that the compiler knows a stone costs 15 % less.
    update_line(b, centre, 0, 1, colour, &sight)
    update_line(b, centre, 1, STRIDE, colour, &sight)
    update_line(b, centre, 2, STRIDE + 1, colour, &sight)
    update_line(b, centre, 3, 1 - STRIDE, colour, &sight)


cdef void settle(BoardState* b) noexcept nogil:
    # The window of a cell does not show the cell itself: a stone is in a five where one put there last would make it.
    cdef Cell* cell
    cdef uint64_t code
    cdef uint32_t shapes
    cdef int i, direction, colour
    b.winner = EMPTY
    for i in range(b.ply):
        colour = b.moves[i].colour
        if colour >= BLOCKED:
            continue
        cell = &b.cells[b.moves[i].cell]
        shapes = 0
        for direction in range(DIRECTIONS):
            code = cell.code[direction]
            shapes |= b.tables.shape[colour][code >> 32 if colour == WHITE else <uint32_t>code] << (4 * direction)
        if b.tables.class_of[colour][shapes] == CLASS_FIVE:
            b.winner = colour
            return


cdef inline void restore_line(BoardState* b, int cell, int direction, int step, int colour) noexcept nogil:
    """Takes a stone out of the windows that show it; shapes and classes are the log's."""
    cdef const Cell* centre = &b.cells[cell]
    cdef Cell* near = &b.cells[cell]
    cdef int distance
    for distance in range(1, centre.ahead[direction] + 1):
        near += step
        near.code[direction] -= code_step[colour][0][near.behind[direction]][distance]
    near = &b.cells[cell]
    for distance in range(1, centre.behind[direction] + 1):
        near -= step
        near.code[direction] -= code_step[colour][1][near.ahead[direction]][distance]


cdef void undo(BoardState* b) noexcept nogil:
    cdef Move* move
    cdef Cell* centre
    cdef Cell* near
    cdef Change* change
    cdef int colour, cell, entry
    b.ply -= 1
    move = &b.moves[b.ply]
    cell = move.cell
    colour = move.colour
    centre = &b.cells[cell]
    restore_line(b, cell, 0, 1, colour)
    restore_line(b, cell, 1, STRIDE, colour)
    restore_line(b, cell, 2, STRIDE + 1, colour)
    restore_line(b, cell, 3, 1 - STRIDE, colour)
    for entry in range(move.log_before, b.log_length):
        change = &b.log[entry]
        near = &b.cells[change.cell]
        near.shapes[BLACK] = change.shapes[BLACK]
        near.shapes[WHITE] = change.shapes[WHITE]
        if near.class_of[BLACK] != change.class_of[BLACK]:
            set_class(b, change.cell, BLACK, change.class_of[BLACK])
        if near.class_of[WHITE] != change.class_of[WHITE]:
            set_class(b, change.cell, WHITE, change.class_of[WHITE])
    centre.stone = EMPTY
    drop_cell(b.stone_rows[colour], cell)
    b.key ^= zobrist[colour][cell]
    b.empties += 1
    b.log_length = move.log_before
    b.winner = move.winner_before
    set_side(b, move.side_before)


cdef void set_side(BoardState* b, int side) noexcept nogil:
    if b.side != side:
        b.side = side
        b.key ^= zobrist_white_to_move


cdef void play(BoardState* b, int cell) noexcept nogil:
    place(b, cell, b.side)
    set_side(b, 1 - b.side)


cdef int cells_of_class(const BoardState* b, int colour, int klass, int16_t* out) noexcept nogil:
    cdef uint32_t rows = b.class_row_mask[colour][klass]
    cdef int row, count = 0
    while rows:
        row = lowest_bit(rows)
        rows &= rows - 1
        count = list_row(row, b.class_rows[colour][klass][row], out, count)
    return count
