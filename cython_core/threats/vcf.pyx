"""Win by continuous fours: depth-first search over fours, deepened so that short wins come first.

Owns its table and its move order. The defender's replies come from `threats`; legality from `forbidden`.
"""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from cython_core.rules.board cimport BoardState, cells_of_class, first_of_class, place, set_side, shape_in, undo
from cython_core.rules.forbidden cimport is_foul
from cython_core.rules.patterns cimport *
from cython_core.threats.glance cimport five_stoppers

cdef enum:
    MAX_FOURS = MAX_LINE // 2   # attacking moves of the longest line
    MOVE_STACK = 4096           # fours waiting on all levels together
    MAX_STOPPERS = 48           # replies to one four: cells of the window along four lines
    NEVER = 255                 # none_within: not at any depth

cdef enum:
    DIVE = 1000                 # nodes of the first search, which knows no depth; solves most positions, 2026-11
    FIRST_DEPTH = 4             # attacking moves of the first deepened search; the next ones go three times as deep

cdef enum:                      # what a search of one node found, when not the length of a win
    EXHAUSTED = 0               # no win at any depth
    CUT = -1                    # no win within the depth
    STOPPED = -2                # out of nodes

ctypedef struct Search:
    BoardState* board
    VcfTable* table
    int attacker
    int limit                   # stones that may be placed
    int nodes                   # stones placed
    int top                     # used part of the move stack
    bint direct                 # only fours that prepare another four
    int length                  # cells of the line found
    int16_t line[MAX_LINE + 2]  # line[2 * ply] is the attacker's move of that ply
    int32_t moves[MOVE_STACK]   # order << 16 | cell
    int16_t scratch[CELLS]      # candidates of one node before they are pushed

# How promising a four is by the other shapes it makes; an open three threatens a straight four next.
cdef int[16] ORDER = [0, 1, 3, 8, 10, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]


cdef VcfTable* vcf_table_create(size_t bytes) noexcept nogil:
    cdef VcfTable* table = <VcfTable*>malloc(sizeof(VcfTable))
    cdef size_t count = 1
    if table is NULL:
        return NULL
    while 2 * count * sizeof(VcfEntry) <= bytes:
        count *= 2
    table.entries = <VcfEntry*>calloc(count, sizeof(VcfEntry))
    if table.entries is NULL:
        free(table)
        return NULL
    table.mask = count - 1
    table.generation = 1
    return table


cdef void vcf_table_clear(VcfTable* table) noexcept nogil:
    table.generation += 1
    if table.generation == 0:
        # The counter went round: old entries would look fresh again.
        memset(table.entries, 0, (table.mask + 1) * sizeof(VcfEntry))
        table.generation = 1


cdef void vcf_table_free(VcfTable* table) noexcept nogil:
    if table is not NULL:
        free(table.entries)
        free(table)


cdef inline VcfEntry* known(Search* s) noexcept nogil:
    """The entry of this position, NULL if there is none."""
    cdef VcfEntry* entry
    if s.table is NULL:
        return NULL
    entry = &s.table.entries[s.board.key & s.table.mask]
    return entry if entry.key == s.board.key and entry.generation == s.table.generation else NULL


cdef inline void remember(Search* s, int move, int none_within) noexcept nogil:
    cdef VcfEntry* entry
    if s.table is not NULL:
        entry = &s.table.entries[s.board.key & s.table.mask]
        entry.key = s.board.key
        entry.generation = s.table.generation
        entry.move = move
        entry.none_within = none_within


cdef bint makes_four(const BoardState* b, int cell, int colour) noexcept nogil:
    cdef int direction, klass = b.cells[cell].class_of[colour]
    if klass != CLASS_MAYBE_FOUL:
        return CLASS_FOUR <= klass <= CLASS_FIVE
    for direction in range(DIRECTIONS):
        if FOUR <= shape_in(b, cell, colour, direction) <= OPEN_FOUR:
            return True
    return False


cdef inline int promise(const BoardState* b, int cell, int attacker, int near) noexcept nogil:
    """Order of a four: what else it makes, and how close it is to the attacker's last stone."""
    cdef int shapes = b.cells[cell].shapes[attacker]
    cdef int dx = (cell & (STRIDE - 1)) - (near & (STRIDE - 1))
    cdef int dy = cell // STRIDE - near // STRIDE
    cdef int distance = max(max(dx, -dx), max(dy, -dy))
    cdef int order = ORDER[shapes & 15] + ORDER[(shapes >> 4) & 15] + ORDER[(shapes >> 8) & 15] + ORDER[shapes >> 12]
    return 4 * order + (12 - 2 * distance if near != NO_CELL and distance < 6 else 0)


cdef inline bint prepares_four(const BoardState* b, int cell, int colour) noexcept nogil:
    """Does a four on this cell make a three on another line, from which the next four may come?"""
    cdef uint32_t shapes = b.cells[cell].shapes[colour]
    # A shape of four bits is a THREE or better where one of its upper two is set.
    cdef uint32_t lines = (shapes >> 2 | shapes >> 3) & 0x1111
    return (lines & (lines - 1)) != 0


cdef bint push(Search* s, int cell, int order) noexcept nogil:
    """Puts a move on the stack; False when it is full."""
    if s.top == MOVE_STACK:
        return False
    s.moves[s.top] = (order << 16) | cell
    s.top += 1
    return True


cdef bint push_fours(Search* s, int near, int hinted) noexcept nogil:
    """Pushes every legal four of the attacker that also stops the defender's five, if he has one."""
    cdef BoardState* b = s.board
    cdef int16_t* cells = s.scratch
    cdef int count = 0, i, cell, klass
    cdef bint forced = b.class_count[1 - s.attacker][CLASS_FIVE] > 0
    if forced:
        count = five_stoppers(b, 1 - s.attacker, cells)
    else:
        for klass in range(CLASS_FOUR, CLASS_OPEN_FOUR + 1):
            if b.class_count[s.attacker][klass]:
                count += cells_of_class(b, s.attacker, klass, cells + count)
        if b.class_count[s.attacker][CLASS_MAYBE_FOUL]:
            count += cells_of_class(b, s.attacker, CLASS_MAYBE_FOUL, cells + count)
    for i in range(count):
        cell = cells[i]
        if not makes_four(b, cell, s.attacker):
            continue
        if b.cells[cell].class_of[s.attacker] == CLASS_MAYBE_FOUL and is_foul(b, cell):
            continue
        if s.direct and not forced and not prepares_four(b, cell, s.attacker):
            continue
        if not push(s, cell, 0x4000 if cell == hinted else promise(b, cell, s.attacker, near)):
            return False
    return True


cdef inline void best_first(int32_t* moves, int count) noexcept nogil:
    """Insertion sort: lists are short, and mostly of one or two moves."""
    cdef int i, j
    cdef int32_t move
    for i in range(1, count):
        move = moves[i]
        j = i
        while j > 0 and moves[j - 1] < move:
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = move


cdef int attack(Search* s, int ply, int left, int near) noexcept nogil:
    """Looks for a win in at most `left` attacking moves; ply counts those made, `near` is the last one.

    Returns the number of moves of the win, with s.line filled from 2 * ply on, or EXHAUSTED, CUT or STOPPED.
    """
    cdef BoardState* b = s.board
    cdef int16_t* counts = b.class_count[s.attacker]
    cdef int16_t* defending = b.class_count[1 - s.attacker]
    cdef VcfEntry* entry
    cdef int hinted = NO_CELL
    cdef int first, i, cell, found
    cdef bint complete = True

    # 1. Wins that need no search.
    if counts[CLASS_FIVE]:
        return end_line(s, ply, first_of_class(b, s.attacker, CLASS_FIVE))
    if defending[CLASS_FIVE] == 0:
        if counts[CLASS_OPEN_FOUR]:
            return end_line(s, ply, first_of_class(b, s.attacker, CLASS_OPEN_FOUR))
        if counts[CLASS_DOUBLE_FOUR]:
            return end_line(s, ply, first_of_class(b, s.attacker, CLASS_DOUBLE_FOUR))
    if not (counts[CLASS_FOUR] or counts[CLASS_FOUR_THREE] or counts[CLASS_DOUBLE_FOUR] or counts[CLASS_OPEN_FOUR]
            or counts[CLASS_MAYBE_FOUL]):
        return EXHAUSTED
    if ply == MAX_FOURS - 1 or (left == 1 and not may_end_unseen(s)):
        return CUT

    # 2. What an earlier visit learnt.
    entry = known(s)
    if entry is not NULL:
        if entry.none_within == NEVER:
            return EXHAUSTED
        if entry.none_within >= left:
            return CUT
        hinted = entry.move

    # 3. Every four, the most promising first.
    first = s.top
    if not push_fours(s, near, hinted):
        s.top = first
        return STOPPED
    best_first(s.moves + first, s.top - first)
    for i in range(first, s.top):
        cell = s.moves[i] & 0xFFFF
        if s.nodes >= s.limit:
            s.top = first
            return STOPPED
        place(b, cell, s.attacker)
        s.nodes += 1
        found = defend(s, ply, left, cell)
        undo(b)
        if found > 0:
            s.line[2 * ply] = cell
            remember(s, cell, 0)
            s.top = first
            return found
        if found == STOPPED:
            s.top = first
            return STOPPED
        complete = complete and found == EXHAUSTED
    s.top = first
    remember(s, NO_CELL, NEVER if complete else left)
    return EXHAUSTED if complete else CUT


cdef inline bint may_end_unseen(const Search* s) noexcept nogil:
    """Could one four win although no class says so: a reply that is a foul, a five to stop, a cell in doubt?"""
    cdef const BoardState* b = s.board
    return (b.class_count[1 - s.attacker][CLASS_FIVE] != 0 or b.class_count[s.attacker][CLASS_MAYBE_FOUL] != 0
            or (b.rule.fouls and s.attacker == WHITE))


cdef inline int end_line(Search* s, int ply, int cell) noexcept nogil:
    s.line[2 * ply] = cell
    s.length = 2 * ply + 1
    return 1


cdef int defend(Search* s, int ply, int left, int four) noexcept nogil:
    """The attacker has just made a four: does he win against every reply? Returns as `attack` does."""
    cdef BoardState* b = s.board
    cdef int16_t replies[MAX_STOPPERS]
    cdef int count
    if b.class_count[1 - s.attacker][CLASS_FIVE]:
        return EXHAUSTED
    count = five_stoppers(b, s.attacker, replies)
    if count == 0:
        s.length = 2 * ply + 1
        return 1
    if left == 1:
        return CUT
    if count == 1:
        return after_reply(s, ply, left, four, replies[0])
    return after_all_replies(s, ply, left, four, replies, count)


cdef inline int after_reply(Search* s, int ply, int left, int four, int reply) noexcept nogil:
    cdef int found
    if s.nodes >= s.limit:
        return STOPPED
    place(s.board, reply, 1 - s.attacker)
    s.nodes += 1
    found = attack(s, ply + 1, left - 1, four)
    undo(s.board)
    s.line[2 * ply + 1] = reply
    return found + 1 if found > 0 else found


cdef int after_all_replies(Search* s, int ply, int left, int four, const int16_t* replies, int count) noexcept nogil:
    """Caro: several stones stop one four. Keeps the line of the reply that holds out longest."""
    cdef int16_t longest_line[MAX_LINE + 2]
    cdef int i, found, longest = 0, length = 0
    for i in range(count):
        found = after_reply(s, ply, left, four, replies[i])
        if found <= 0:
            return found
        if found > longest:
            longest = found
            length = s.length
            memcpy(longest_line, s.line, sizeof(longest_line))
    s.length = length
    memcpy(s.line, longest_line, sizeof(longest_line))
    return longest


cdef inline bint has_fours(const BoardState* b, int attacker) noexcept nogil:
    cdef const int16_t* counts = b.class_count[attacker]
    return (counts[CLASS_FOUR] or counts[CLASS_FOUR_THREE] or counts[CLASS_DOUBLE_FOUR] or counts[CLASS_OPEN_FOUR]
            or counts[CLASS_FIVE] or counts[CLASS_MAYBE_FOUL])


cdef inline void begin(
    Search* s, BoardState* b, int attacker, int limit, bint direct, VcfTable* table
) noexcept nogil:
    s.board = b
    s.table = table
    s.attacker = attacker
    s.limit = limit
    s.direct = direct
    s.nodes = 0
    s.top = 0
    # The key names the side to move, so with the attacker to move it also tells the attackers apart.
    set_side(b, attacker)


cdef int solve_vcf(
    BoardState* b, int attacker, int node_limit, VcfTable* table, Line* line, int* nodes
) noexcept nogil:
    return search_fours(b, attacker, node_limit, False, table, line, nodes)


cdef int solve_direct_vcf(
    BoardState* b, int attacker, int node_limit, VcfTable* table, Line* line, int* nodes
) noexcept nogil:
    return search_fours(b, attacker, node_limit, True, table, line, nodes)


cdef inline int search_fours(
    BoardState* b, int attacker, int node_limit, bint direct, VcfTable* table, Line* line, int* nodes
) noexcept nogil:
    cdef Search s
    cdef int side = b.side
    cdef int left, found, answer
    nodes[0] = 0
    # Most positions end here, so this comes before anything is set up.
    if not has_fours(b, attacker):
        return VCF_NONE
    # A plain dive is cheapest while the tree is small; in a large one it gets lost, and deepening finds short wins.
    begin(&s, b, attacker, min(node_limit, DIVE), direct, table)
    found = attack(&s, 0, MAX_FOURS, NO_CELL)
    s.limit = node_limit
    if found == STOPPED and s.nodes < node_limit:
        left = FIRST_DEPTH
        found = attack(&s, 0, left, NO_CELL)
        while found == CUT and left < MAX_FOURS:
            left = min(3 * left, MAX_FOURS)
            found = attack(&s, 0, left, NO_CELL)
    if found > 0:
        answer = VCF_WIN
        keep_line(&s, line)
        shorten(&s, found, line)
    else:
        answer = VCF_NONE if found == EXHAUSTED else VCF_UNKNOWN
    set_side(b, side)
    nodes[0] = s.nodes
    return answer


cdef int solve_short_vcf(
    BoardState* b, int attacker, int fours, int node_limit, VcfTable* table, Line* line, int* nodes
) noexcept nogil:
    cdef Search s
    cdef int side = b.side
    cdef int found
    nodes[0] = 0
    if fours < 1 or not has_fours(b, attacker):
        return VCF_NONE
    begin(&s, b, attacker, node_limit, False, table)
    found = attack(&s, 0, min(fours, MAX_FOURS), NO_CELL)
    if found > 0:
        keep_line(&s, line)
    set_side(b, side)
    nodes[0] = s.nodes
    return VCF_WIN if found > 0 else VCF_UNKNOWN if found == STOPPED else VCF_NONE


cdef void keep_line(Search* s, Line* line) noexcept nogil:
    line.length = s.length
    memcpy(line.cells, s.line, s.length * sizeof(int16_t))


cdef void shorten(Search* s, int moves, Line* line) noexcept nogil:
    """Looks for shorter wins with at most as many nodes as the first one took."""
    cdef int found = moves
    s.limit = min(s.limit, 2 * s.nodes)
    while found > 1:
        found = attack(s, 0, found - 1, NO_CELL)
        if found > 0:
            keep_line(s, line)
