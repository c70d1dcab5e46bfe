"""The distinct windows of a batch of boards, and of what parts they are made: what a line part has to be computed for.

Windows are numbered as training/windows.py says. Nothing here lets go of the interpreter's lock: two threads may share the
places of a `renumber`.
"""

from cython_core.learning.buffers cimport integers
from cython_core.network.encoding cimport VARIANTS, WINDOW_ROWS
from cython_core.network.encoding import STEPS
from cython_core.rules.typedefs cimport *

cdef int[6] POWERS = [1, 3, 9, 27, 81, 243]
cdef int[SIDE_CODES] visible        # cells that a side of this code shows


cdef void list_visible() noexcept:
    cdef int cells, code = 0
    for cells in range(REACH + 1):
        for _ in range(POWERS[cells]):
            visible[code] = cells
            code += 1

list_visible()


cdef inline int behind(int code, int cell) noexcept:
    """The code of the side that begins with `cell` and goes on with the side `code`."""
    if visible[code] == REACH:
        code = (code - 1) // 3
    return code + (1 + cell) * POWERS[visible[code]]


cdef void list_sides(const uint8_t* board, int height, int width, int dx, int dy, int* codes) noexcept:
    """Of every cell the side of its window that lies in this direction. A line is walked towards its cells."""
    cdef int i, j, x, y
    for i in range(height):
        y = height - 1 - i if dy > 0 else i
        for j in range(width):
            x = width - 1 - j if dx > 0 else j
            if 0 <= x + dx < width and 0 <= y + dy < height:
                codes[y * width + x] = behind(codes[(y + dy) * width + x + dx], board[(y + dy) * width + x + dx])
            else:
                codes[y * width + x] = 0


def list_windows(const uint8_t[:, :, ::1] boards, const uint8_t[::1] variants, int[::1] windows):
    """Fills `windows` [n, height, width, 4] with variant * WINDOW_ROWS + the window of every cell in every direction."""
    cdef int n = boards.shape[0], height = boards.shape[1], width = boards.shape[2], cells = height * width
    cdef int i, direction, cell, dx, dy
    cdef int left[CELLS]
    cdef int right[CELLS]
    cdef int* out = integers(windows, 4 * n * cells)
    if cells > CELLS or variants.shape[0] != n:
        raise ValueError(f"{n} boards of {cells} cells, {variants.shape[0]} variants")
    for i in range(n):
        if variants[i] >= VARIANTS:
            raise ValueError(f"there is no variant {variants[i]}")
        for cell in range(cells):
            if (&boards[i, 0, 0])[cell] > 2:
                raise ValueError("a cell is 0 empty, 1 own or 2 other")
    for direction in range(DIRECTIONS):
        dx, dy = STEPS[direction]
        for i in range(n):
            list_sides(&boards[i, 0, 0], height, width, -dx, -dy, left)
            list_sides(&boards[i, 0, 0], height, width, dx, dy, right)
            for cell in range(cells):
                out[4 * (i * cells + cell) + direction] = (
                    variants[i] * WINDOW_ROWS + (left[cell] * SIDE_CODES + right[cell]) * 3 + (&boards[i, 0, 0])[cell]
                )


def renumber(int[::1] numbers, int[::1] places, int[::1] distinct):
    """Numbers that occur become 0, 1, 2 ... in the order in which they first occur, and `distinct`, which has room for all,
    lists what they were; returns how many. The largest number, len(places) - 1, stands for nothing and becomes that count.

    places: -1 everywhere, before and after."""
    cdef Py_ssize_t i, nothing = places.shape[0] - 1
    cdef int count = 0, number
    if distinct.shape[0] < min(numbers.shape[0], nothing):
        raise ValueError("no room for the distinct numbers")
    for i in range(numbers.shape[0]):
        if not 0 <= numbers[i] <= nothing:
            raise ValueError("a number is beyond its place")
    for i in range(numbers.shape[0]):
        number = numbers[i]
        if number != nothing and places[number] < 0:
            places[number] = count
            distinct[count] = number
            count += 1
        numbers[i] = -1 if number == nothing else places[number]
    for i in range(numbers.shape[0]):
        if numbers[i] < 0:
            numbers[i] = count
    for i in range(count):
        places[distinct[i]] = -1
    return count


def list_parts(const int[::1] windows, const int[:, ::1] table, int below, int[:, ::1] parts):
    """Fills `parts` [n, 3] for windows that are variant * len(table) + window: variant * below + the parts that the table
    names; VARIANTS * below for those behind the edge, which the table calls `below`."""
    cdef Py_ssize_t i, k, size = table.shape[0]
    cdef int part
    if parts.shape[0] != windows.shape[0] or parts.shape[1] != 3 or table.shape[1] != 3:
        raise ValueError("there are three parts to a window")
    for i in range(windows.shape[0]):
        if not 0 <= windows[i] < VARIANTS * size:
            raise ValueError(f"there is no window {windows[i]}")
        for k in range(3):
            part = table[windows[i] % size, k]
            parts[i, k] = VARIANTS * below if part == below else windows[i] // size * below + part
