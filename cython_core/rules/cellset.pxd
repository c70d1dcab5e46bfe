# Sets of cells as rows of bits: bit x of rows[y] stands for the cell in column x of row y.

from cython_core.rules.typedefs cimport *

cdef extern from *:
    """
    static inline int lowest_bit(unsigned int word) { return __builtin_ctz(word); }
    """
    int lowest_bit(uint32_t word) noexcept nogil     # number of the lowest set bit; the word must not be zero

cdef inline int row_of(int cell) noexcept nogil:
    return <int>(<uint32_t>cell // STRIDE)

cdef inline int column_of(int cell) noexcept nogil:
    return cell & (STRIDE - 1)

cdef inline uint32_t bit_of(int cell) noexcept nogil:
    """The cell in its own row."""
    return <uint32_t>1 << column_of(cell)

cdef inline void add_cell(uint32_t* rows, int cell) noexcept nogil:
    rows[row_of(cell)] |= bit_of(cell)

cdef inline void drop_cell(uint32_t* rows, int cell) noexcept nogil:
    rows[row_of(cell)] &= ~bit_of(cell)

cdef inline bint is_in(const uint32_t* rows, int cell) noexcept nogil:
    return rows[row_of(cell)] >> column_of(cell) & 1

# Every cell of a row of this width.
cdef inline uint32_t whole_row(int width) noexcept nogil:
    return <uint32_t>0xFFFFFFFF >> (MAX_SIZE - width)

# Appends the cells of one row to a list of `count` cells, in ascending order; returns the new length.
cdef inline int list_row(int row, uint32_t bits, int16_t* cells, int count) noexcept nogil:
    while bits:
        cells[count] = row * STRIDE + lowest_bit(bits)
        count += 1
        bits &= bits - 1
    return count
