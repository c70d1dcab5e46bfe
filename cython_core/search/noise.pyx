"""Dirichlet noise from the searcher's own seeded generator, so that a noisy search repeats itself too."""

from libc.math cimport exp, log, pow, sqrt

from cython_core.rules.rng cimport next_uniform
from cython_core.rules.typedefs cimport *
from cython_core.search.tree cimport Edge, edges_of


cdef double normal(Rng* rng) noexcept nogil:
    """Standard normal by the polar method."""
    cdef double x, y, square
    while True:
        x = 2 * next_uniform(rng) - 1
        y = 2 * next_uniform(rng) - 1
        square = x * x + y * y
        if 0 < square < 1:
            return x * sqrt(-2 * log(square) / square)


cdef double gamma(double shape, Rng* rng) noexcept nogil:
    """A gamma variate of any positive shape, scale 1: squeeze of a cubed normal, small shapes boosted by a power."""
    cdef double d, c, x, v, u
    if shape < 1:
        u = max(1e-12, <double>next_uniform(rng))
        return gamma(shape + 1, rng) * pow(u, 1 / shape)
    d = shape - 1.0 / 3
    c = 1 / sqrt(9 * d)
    while True:
        x = normal(rng)
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = max(1e-12, <double>next_uniform(rng))
        if log(u) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v


cdef void mix_noise(Tree* tree, Node* node, float share, Rng* rng) noexcept nogil:
    cdef double noise[CELLS]
    cdef double total = 1e-30
    cdef Edge* edge = edges_of(tree, node)
    cdef int i, count = node.edge_count
    for i in range(count):
        noise[i] = gamma(<double>CONCENTRATION / count, rng)
        total += noise[i]
    for i in range(count):
        edge[i].prior = <uint16_t>((1 - share) * edge[i].prior + share * 65535 * noise[i] / total + 0.5)
