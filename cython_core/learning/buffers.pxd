# Buffers of numbers from Python, looked at before a kernel trusts them.

cdef enum:
    WHOLE = 16      # a row of a matrix has a multiple of it: whole registers on every machine


cdef inline int check_rows(Py_ssize_t width) except -1:
    if width <= 0 or width % WHOLE:
        raise ValueError(f"rows of {width} numbers: not a multiple of {WHOLE}")
    return 0


cdef inline float* floats(float[::1] buffer, Py_ssize_t size) except NULL:
    """The beginning of a buffer that has this size."""
    if buffer.shape[0] != size or not size:
        raise ValueError(f"a buffer of {buffer.shape[0]} numbers instead of {size}")
    return &buffer[0]


cdef inline int* integers(int[::1] buffer, Py_ssize_t size) except NULL:
    if buffer.shape[0] != size or not size:
        raise ValueError(f"a buffer of {buffer.shape[0]} numbers instead of {size}")
    return &buffer[0]


cdef inline int check_indices(const int* indices, Py_ssize_t count, int limit) except -1:
    """ValueError if one of them is not in 0 .. limit - 1."""
    cdef Py_ssize_t i
    cdef bint fits = True
    for i in range(count):
        fits &= 0 <= indices[i] < limit
    if not fits:
        raise ValueError("an index is beyond its rows")
    return 0
