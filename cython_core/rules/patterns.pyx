"""Shape and class tables: what a stone on a cell makes along one line, and along all four.

Everything follows from the definition of a winning five. The tables are computed by asking, for each of the
132,496 windows, what one more stone would make; windows with more stones come first, so each answer is a look-up.
Knows nothing of boards.
"""

from libc.stdlib cimport malloc
from libc.string cimport memset

cdef enum:              # how a colour sees a line under a rule: bits that add up to its view
    OVERLINE_WINS = 1   # six or more win too; otherwise a five must be exact
    BLOCKED_ENDS = 2    # a five between two opposing stones does not win
    FOULS = 4           # overlines and double fours are fouls, no weapons
    VIEWS = 8

cdef uint8_t* shape_tables[VIEWS]
cdef uint8_t* class_tables[2]           # [fouls]
cdef Tables rule_tables[RULE_COUNT]     # in the order of the rule book
memset(shape_tables, 0, sizeof(shape_tables))
memset(class_tables, 0, sizeof(class_tables))
memset(rule_tables, 0, sizeof(rule_tables))


cdef int[6] POWERS = [1, 3, 9, 27, 81, 243]

cdef void fill_weights() noexcept:
    cdef int visible, distance
    for visible in range(REACH + 1):
        SIDE_BASE[visible] = (POWERS[visible] - 1) // 2
        for distance in range(REACH + 1):
            SIDE_WEIGHT[visible][distance] = POWERS[visible - distance] if 1 <= distance <= visible else 0

fill_weights()


cdef inline int digit(const int8_t* window, int offset) noexcept nogil:
    return window[offset + REACH]


cdef bint makes_five(const int8_t* window, int view, bint* overline) noexcept nogil:
    """Does an own stone on the centre complete a winning five? `window` holds 0/1/2, and 3 beyond the edge."""
    cdef int left = 0, right = 0, run
    while left < REACH and digit(window, -left - 1) == 1:
        left += 1
    while right < REACH and digit(window, right + 1) == 1:
        right += 1
    run = left + right + 1
    overline[0] = run > 5
    if run < 5:
        return False
    if run > 5:
        return view & OVERLINE_WINS
    if view & BLOCKED_ENDS:
        # Only opposing stones block: the edge of the board does not.
        return not (digit(window, -left - 1) == 2 and digit(window, right + 1) == 2)
    return True


cdef int shape_of(const int8_t* window, int index, const int* weight, int view, const uint8_t* known) noexcept nogil:
    """Shape of one window; `known` already holds every window with more stones. weight[] = index step per offset."""
    cdef bint overline
    cdef int offset, reply, left, right, best, with_stone
    cdef int completions = 0
    cdef bint stopped, straight
    if makes_five(window, view, &overline):
        return FIVE
    if overline and not view & OVERLINE_WINS:
        return OVERLINE if view & FOULS else DEAD
    for offset in range(-REACH, REACH + 1):
        if offset != 0 and digit(window, offset) == 0 and known[index + weight[offset + REACH]] == FIVE:
            completions += 1
    if completions:
        if completions == 1:
            return FOUR
        for reply in range(-REACH, REACH + 1):
            if reply == 0 or digit(window, reply) != 0:
                continue
            stopped = True
            for offset in range(-REACH, REACH + 1):
                if offset != 0 and offset != reply and digit(window, offset) == 0:
                    if known[index + 2 * weight[reply + REACH] + weight[offset + REACH]] == FIVE:
                        stopped = False
                        break
            if stopped:
                return FOUR
        left = 1
        while digit(window, -left) == 1:
            left += 1
        right = 1
        while digit(window, right) == 1:
            right += 1
        straight = (left + right - 1 == 4
                    and digit(window, -left) == 0 and known[index + weight[REACH - left]] == FIVE
                    and digit(window, right) == 0 and known[index + weight[REACH + right]] == FIVE)
        return OPEN_FOUR if straight else LINE_DOUBLE_FOUR
    best = DEAD
    for offset in range(-REACH, REACH + 1):
        if offset == 0 or digit(window, offset) != 0:
            continue
        with_stone = known[index + weight[offset + REACH]]
        if with_stone == OPEN_FOUR or (with_stone == LINE_DOUBLE_FOUR and not view & FOULS):
            return OPEN_THREE
        if with_stone == FOUR or with_stone == LINE_DOUBLE_FOUR:
            best = max(best, THREE)
        elif with_stone == OPEN_THREE:
            best = max(best, OPEN_TWO)
        elif with_stone == THREE:
            best = max(best, TWO)
        elif with_stone != DEAD and with_stone != OVERLINE:
            best = max(best, ONE)
    return best


cdef void build_shapes(int view, uint8_t* table) noexcept nogil:
    cdef int8_t window[2 * REACH + 1]
    cdef int weight[2 * REACH + 1]
    cdef int left_visible, right_visible, left, right, distance, index
    for left_visible in range(REACH + 1):
        for right_visible in range(REACH + 1):
            memset(window, 3, sizeof(window))
            memset(weight, 0, sizeof(weight))
            for distance in range(1, left_visible + 1):
                weight[REACH - distance] = SIDE_WEIGHT[left_visible][distance] * SIDE_CODES
            for distance in range(1, right_visible + 1):
                weight[REACH + distance] = SIDE_WEIGHT[right_visible][distance]
            for left in range(POWERS[left_visible] - 1, -1, -1):
                for distance in range(1, left_visible + 1):
                    window[REACH - distance] = (left // SIDE_WEIGHT[left_visible][distance]) % 3
                for right in range(POWERS[right_visible] - 1, -1, -1):
                    for distance in range(1, right_visible + 1):
                        window[REACH + distance] = (right // SIDE_WEIGHT[right_visible][distance]) % 3
                    index = (SIDE_BASE[left_visible] + left) * SIDE_CODES + SIDE_BASE[right_visible] + right
                    table[index] = shape_of(window, index, weight, view, table)


cdef int class_of_shapes(int packed, bint fouls) noexcept nogil:
    """Class of four packed shapes; with `fouls` as renju black sees them."""
    cdef int direction, shape, best = DEAD
    cdef int fours = 0, threes = 0, five = 0, straight = 0, overlines = 0
    for direction in range(DIRECTIONS):
        shape = (packed >> (4 * direction)) & 15
        if shape == FIVE:
            five += 1
        elif shape == OPEN_FOUR:
            straight += 1
            fours += 1
        elif shape == LINE_DOUBLE_FOUR:
            straight += 1
            fours += 2
        elif shape == FOUR:
            fours += 1
        elif shape == OPEN_THREE:
            threes += 1
        elif shape == OVERLINE:
            overlines += 1
        elif shape < SHAPES:
            best = max(best, shape)
    if five:
        return CLASS_FIVE
    if fouls:
        if overlines or fours >= 2:
            return CLASS_FOUL
        if threes >= 2:
            return CLASS_MAYBE_FOUL
    if straight:
        return CLASS_OPEN_FOUR
    if fours >= 2:
        return CLASS_DOUBLE_FOUR
    if fours:
        return CLASS_FOUR_THREE if threes else CLASS_FOUR
    if threes:
        return CLASS_DOUBLE_THREE if threes >= 2 else CLASS_THREE
    return QUIET if best >= TWO else NOTHING


cdef const uint8_t* shapes_for(int view) except NULL:
    if shape_tables[view] is NULL:
        shape_tables[view] = <uint8_t*>malloc(WINDOWS)
        if shape_tables[view] is NULL:
            raise MemoryError("no memory for a shape table")
        build_shapes(view, shape_tables[view])
    return shape_tables[view]


cdef const uint8_t* classes_for(bint fouls) except NULL:
    cdef int packed
    if class_tables[fouls] is NULL:
        class_tables[fouls] = <uint8_t*>malloc(1 << 16)
        if class_tables[fouls] is NULL:
            raise MemoryError("no memory for a class table")
        for packed in range(1 << 16):
            class_tables[fouls][packed] = class_of_shapes(packed, fouls)
    return class_tables[fouls]


cdef int view_of(const RuleTraits* rule, int colour) noexcept nogil:
    cdef int view = OVERLINE_WINS if rule.overline_wins[colour] else 0
    if rule.blocked_ends:
        view |= BLOCKED_ENDS
    if rule.fouls and colour == BLACK:
        view |= FOULS
    return view


cdef int prepare_tables(int rule) except -1:
    cdef const RuleTraits* traits = find_rule(rule)
    cdef Tables* tables
    if traits is NULL:
        raise ValueError(f"no such rule: {rule}")
    tables = &rule_tables[traits.place]
    if tables.shape[BLACK] is not NULL:
        return 0
    tables.class_of[BLACK] = classes_for(traits.fouls)
    tables.class_of[WHITE] = classes_for(False)
    tables.shape[WHITE] = shapes_for(view_of(traits, WHITE))
    tables.shape[BLACK] = shapes_for(view_of(traits, BLACK))
    return 0


cdef const Tables* tables_of(const RuleTraits* rule) noexcept nogil:
    return &rule_tables[rule.place]
