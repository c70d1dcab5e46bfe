"""Defending moves against a threatened line of fours, complete and nearly without useless ones.

A stone of the defender can break a line only by standing on one of its cells or fives, by blocking the end of a
five (caro), by helping to a four on the way, or by changing what is a foul (renju). One replay of the line collects
all such cells; what only might break it is decided by replaying the line with the stone in place.
"""

from libc.string cimport memset

from cython_core.rules.board cimport BoardState, STEP, cells_of_class, first_of_class, place, shape_in, undo
from cython_core.rules.cellset cimport add_cell, is_in
from cython_core.rules.patterns cimport *
from cython_core.threats.glance cimport five_stoppers, may_play
from cython_core.threats.vcf cimport VCF_WIN, solve_short_vcf

cdef enum:
    MAX_STOPPERS = 48       # replies to one four: cells of the window along four lines
    TRIAL_NODES = 10000     # stones for all trials, side lines included; what is in doubt then counts as a defence
    MAX_BRANCHES = 64       # caro replies followed before every cell is simply tried

ctypedef struct Marks:
    BoardState* board
    int attacker
    int left                        # stones for trials
    int branches                    # replies followed so far
    bint everywhere                 # any cell may matter: try them all
    uint32_t certain[MAX_SIZE]      # per row: cells that break the line
    uint32_t doubtful[MAX_SIZE]     # per row: cells that may break it


cdef void mark_counters(Marks* marks) noexcept nogil:
    """Cells where one more stone gives the defender a four or five, now that he stands as he does."""
    cdef BoardState* b = marks.board
    cdef int defender = 1 - marks.attacker
    cdef int klass, row
    # A foul may hide a four among its shapes. As the stone would have come earlier, it need not be a foul then.
    for klass in range(CLASS_FOUR, CLASSES):
        if b.class_count[defender][klass]:
            for row in range(b.height):
                marks.doubtful[row] |= b.class_rows[defender][klass][row]


cdef void mark_fives(Marks* marks) noexcept nogil:
    """The attacker's fives after a move of the line; under caro also the cells that could close their ends."""
    cdef BoardState* b = marks.board
    cdef bint caro = b.rule.blocked_ends
    cdef int16_t fives[CELLS]
    cdef int count = cells_of_class(b, marks.attacker, CLASS_FIVE, fives)
    cdef int i, direction, offset, cell
    for i in range(count):
        # With a third five one stone is not enough.
        add_cell(&marks.certain[0] if count <= 2 and not caro else &marks.doubtful[0], fives[i])
        if not caro:
            continue
        for direction in range(DIRECTIONS):
            if shape_in(b, fives[i], marks.attacker, direction) != FIVE:
                continue
            for offset in range(-b.cells[fives[i]].behind[direction], b.cells[fives[i]].ahead[direction] + 1):
                cell = fives[i] + offset * STEP[direction]
                if b.cells[cell].stone == EMPTY:
                    add_cell(marks.doubtful, cell)


cdef void mark_ray(Marks* marks, int cell, int direction, int way) noexcept nogil:
    """The cells from here along one direction, as far as a window around a cell three steps away sees."""
    cdef BoardState* b = marks.board
    cdef int distance
    for distance in range(REACH + 4):
        if b.cells[cell].stone == EMPTY:
            add_cell(marks.doubtful, cell)
        if (b.cells[cell].ahead[direction] if way > 0 else b.cells[cell].behind[direction]) == 0:
            return
        cell += way * STEP[direction]


cdef void mark_foul_reach(Marks* marks, int cell, bint itself) noexcept nogil:
    """Renju: where a stone can change whether black may play on a cell.

    `forbidden` looks at the windows of the cell and, for each apparent three, of the cells that would make it a
    straight four (at most three cells away), and so on; a stone outside all of them changes nothing. A white stone
    in the windows of the cell `itself` only takes threes away, so there it cannot forbid a legal move.
    """
    cdef BoardState* b = marks.board
    cdef int direction, first, offset, near
    if itself:
        for direction in range(DIRECTIONS):
            mark_ray(marks, cell, direction, 1)
            mark_ray(marks, cell, direction, -1)
    if b.cells[cell].class_of[BLACK] != CLASS_MAYBE_FOUL:
        return
    cdef int shapes = b.cells[cell].shapes[BLACK]
    place(b, cell, BLACK)
    for direction in range(DIRECTIONS):
        if (shapes >> (4 * direction)) & 15 != OPEN_THREE:
            continue
        first = -min(<int>b.cells[cell].behind[direction], 3)
        for offset in range(first, min(<int>b.cells[cell].ahead[direction], 3) + 1):
            near = cell + offset * STEP[direction]
            if b.cells[near].stone == EMPTY and shape_in(b, near, BLACK, direction) == OPEN_FOUR:
                mark_foul_reach(marks, near, True)
    undo(b)


cdef void follow(Marks* marks, const int16_t* line, int length) noexcept nogil:
    """Marks the cells that matter to a line that wins from here, along every reply."""
    cdef BoardState* b = marks.board
    cdef int16_t replies[MAX_STOPPERS]
    cdef int i, count, klass = b.cells[line[0]].class_of[marks.attacker]
    mark_counters(marks)
    add_cell(marks.certain, line[0])
    if klass == CLASS_MAYBE_FOUL:
        mark_foul_reach(marks, line[0], False)
    if klass == CLASS_FIVE:
        mark_fives(marks)
        return
    place(b, line[0], marks.attacker)
    marks.left -= 1
    mark_fives(marks)
    count = five_stoppers(b, marks.attacker, replies)
    if count == 0 and b.rule.fouls and b.class_count[marks.attacker][CLASS_FIVE] == 1:
        # The last reply is a foul, and a black stone elsewhere may change that.
        mark_foul_reach(marks, first_of_class(b, marks.attacker, CLASS_FIVE), True)
    marks.branches += count - 1 if count else 0
    if marks.branches > MAX_BRANCHES:
        marks.everywhere = True
    for i in range(count):
        if marks.everywhere:
            break
        place(b, replies[i], 1 - marks.attacker)
        marks.left -= 1
        if replies[i] == line[1] or line_wins(b, marks.attacker, line + 2, length - 2, &marks.left):
            follow(marks, line + 2, length - 2)
        else:
            follow_side_line(marks, length - 2)
        undo(b)
    undo(b)


cdef void follow_side_line(Marks* marks, int length) noexcept nogil:
    """Caro: the attacker answers a reply that the line does not show by another line, no longer than the rest."""
    cdef Line side
    if find_other_line(marks.board, marks.attacker, length, &side, &marks.left):
        follow(marks, side.cells, side.length)
    else:
        marks.everywhere = True


cdef bint line_wins(BoardState* b, int attacker, const int16_t* line, int length, int* left) noexcept nogil:
    cdef int16_t replies[MAX_STOPPERS]
    cdef Line side
    cdef int i, count
    cdef bint wins = False, shown = False
    if left[0] <= 0 or length < 1 or b.cells[line[0]].stone != EMPTY or not may_play(b, line[0], attacker):
        return False
    if b.cells[line[0]].class_of[attacker] == CLASS_FIVE:
        return length == 1
    place(b, line[0], attacker)
    left[0] -= 1
    if b.class_count[attacker][CLASS_FIVE] and not b.class_count[1 - attacker][CLASS_FIVE]:
        count = five_stoppers(b, attacker, replies)
        for i in range(count):
            shown = shown or (length > 1 and replies[i] == line[1])
        wins = shown if count else length == 1
        for i in range(count):
            if not wins:
                break
            place(b, replies[i], 1 - attacker)
            left[0] -= 1
            wins = line_wins(b, attacker, line + 2, length - 2, left)
            if not wins and replies[i] != line[1]:
                wins = find_other_line(b, attacker, length - 2, &side, left)
            undo(b)
    undo(b)
    return wins


cdef bint find_other_line(BoardState* b, int attacker, int length, Line* side, int* left) noexcept nogil:
    """Caro: a VCF no longer than the rest of the line that does not fit, if the stones left are enough to find it."""
    cdef int used, answer
    if left[0] <= 0:
        return False
    answer = solve_short_vcf(b, attacker, (length + 1) // 2, left[0], NULL, side, &used)
    left[0] -= used
    return answer == VCF_WIN


cdef int find_defences(BoardState* b, int attacker, const Line* line, int16_t* out, int* nodes) noexcept nogil:
    cdef Marks marks
    cdef int x, y, i, cell, count = 0
    cdef uint32_t candidates
    memset(&marks, 0, sizeof(Marks))
    marks.board = b
    marks.attacker = attacker
    marks.left = TRIAL_NODES
    # The line hardly ever answers a counter-four made at once: taken without a trial.
    for i in range(CLASS_FOUR, CLASS_FIVE):
        for y in range(b.height):
            marks.certain[y] |= b.class_rows[1 - attacker][i][y]
    follow(&marks, line.cells, line.length)
    for i in range(line.length):
        if may_play(b, line.cells[i], 1 - attacker):
            out[count] = line.cells[i]
            count += 1
    for y in range(b.height):
        candidates = ~<uint32_t>0 if marks.everywhere else marks.certain[y] | marks.doubtful[y]
        for x in range(b.width if candidates else 0):
            cell = y * STRIDE + x
            if not (candidates >> x) & 1 or b.cells[cell].stone != EMPTY or is_of(line, cell):
                continue
            if may_play(b, cell, 1 - attacker) and (is_in(marks.certain, cell) or breaks(&marks, line, cell)):
                out[count] = cell
                count += 1
    nodes[0] += TRIAL_NODES - marks.left
    return count


cdef bint is_of(const Line* line, int cell) noexcept nogil:
    cdef int i
    for i in range(line.length):
        if line.cells[i] == cell:
            return True
    return False


cdef bint breaks(Marks* marks, const Line* line, int cell) noexcept nogil:
    """Does the line fail, as far as trials go, once the defender stands on this cell?"""
    cdef bint wins
    if marks.left <= 0:
        return True
    place(marks.board, cell, 1 - marks.attacker)
    marks.left -= 1
    wins = (marks.board.winner != 1 - marks.attacker
            and line_wins(marks.board, marks.attacker, line.cells, line.length, &marks.left))
    undo(marks.board)
    return not wins


cdef int defences(BoardState* b, int attacker, const Line* line, int16_t* out) noexcept nogil:
    cdef int nodes = 0
    return find_defences(b, attacker, line, out, &nodes)


cdef int line_plies(BoardState* b, int attacker, const Line* line) noexcept nogil:
    if line.length == 1 and b.cells[line.cells[0]].class_of[attacker] == CLASS_FIVE:
        return 1
    # Every reply of a line stops all fives, so it ends with a four that nobody can stop, a reply in vain and the five.
    return line.length + 2
