"""Where a quiet move may build something, told for whole rows at a time."""

from libc.string cimport memcpy, memset

cdef enum:
    NEAR = 4            # cells along a line; a five that holds a cell reaches no further


cdef inline uint32_t along(const uint32_t* row, int distance) noexcept nogil:
    return row[0] << distance | row[0] >> distance


cdef inline uint32_t across(const uint32_t* row, int distance) noexcept nogil:
    return row[-distance] | row[distance]


cdef inline uint32_t falling(const uint32_t* row, int distance) noexcept nogil:
    return row[-distance] << distance | row[distance] >> distance


cdef inline uint32_t rising(const uint32_t* row, int distance) noexcept nogil:
    return row[-distance] >> distance | row[distance] << distance


cdef void find_near(const BoardState* b, int colour, uint32_t* on_one_line, uint32_t* on_two_lines) noexcept nogil:
    cdef uint32_t stones[MAX_SIZE + 2 * NEAR]       # with empty rows above and below
    cdef const uint32_t* row
    cdef uint32_t east, south, down, up
    cdef int y
    memset(stones, 0, sizeof(stones))
    memcpy(stones + NEAR, b.stone_rows[colour], b.height * sizeof(uint32_t))
    # Written out for the compiler, which then takes four rows at a time.
    for y in range(b.height):
        row = stones + NEAR + y
        east = along(row, 1) | along(row, 2) | along(row, 3) | along(row, 4)
        south = across(row, 1) | across(row, 2) | across(row, 3) | across(row, 4)
        down = falling(row, 1) | falling(row, 2) | falling(row, 3) | falling(row, 4)
        up = rising(row, 1) | rising(row, 2) | rising(row, 3) | rising(row, 4)
        on_one_line[y] = east | south | down | up
        on_two_lines[y] = east & south | down & up | (east | south) & (down | up)
