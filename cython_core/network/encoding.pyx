"""How a position is written down for a network.

For Python also: WINDOW_ROWS, WINDOW_REACH, VARIANTS and PLANES of encoding.pxd.
"""

cdef float LIMIT_OF_LINES = 24.0
LINE_LIMIT = LIMIT_OF_LINES
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))   # (dx, dy) of the directions; the left of a window lies against the step
PLANE_CONTENTS = (1, 2, 0)                  # what the first planes show: own, other, empty


cdef int[RULE_COUNT] first_variant      # by the rule's place in the book; VARIANTS: no network knows this rule


cdef void number_variants() noexcept:
    """In the order of the book. Rules beyond the VARIANTS are played without a network until one has learnt them."""
    cdef int place, wanted, count = 0
    for place in range(RULE_COUNT):
        wanted = 1 if same_for_both(rule_at(place)) else 2
        first_variant[place] = count if count + wanted <= VARIANTS else VARIANTS
        count = min(count + wanted, VARIANTS)

number_variants()


cdef int variant_of(int rule, int side) except -1:
    cdef const RuleTraits* traits = find_rule(rule)
    if traits is NULL or side not in (BLACK, WHITE):
        raise ValueError(f"no such rule or side: {rule}, {side}")
    if first_variant[traits.place] == VARIANTS:
        raise ValueError(f"networks do not know rule {rule}")
    return first_variant[traits.place] + (0 if same_for_both(traits) else side)


cdef inline int centre_of(int stone, int side) noexcept nogil:
    """What stands on a cell as a side sees it: 0 empty, 1 own, 2 anything else."""
    return 0 if stone == EMPTY else (1 if stone == side else 2)


cdef int list_rows(const BoardState* b, int side, uint32_t* rows) noexcept nogil:
    cdef int x, y, direction, count = 0
    cdef const Cell* cell
    cdef uint32_t centre
    for y in range(b.height):
        for x in range(b.width):
            cell = &b.cells[y * STRIDE + x]
            centre = centre_of(cell.stone, side)
            for direction in range(DIRECTIONS):
                rows[4 * count + direction] = <uint32_t>(cell.code[direction] >> (32 * side)) * 3 + centre
            count += 1
    return count


def variant(int rule, int side):
    """Which line table and which variant plane a position of the rule with this side to move uses."""
    return variant_of(rule, side)
