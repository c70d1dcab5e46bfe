# Turns priors into edges: sorted, cut where the rest no longer matters, and widened later.

from cython_core.board cimport BoardState
from cython_core.tree cimport Node, Tree
from cython_core.typedefs cimport *

ctypedef struct Allowed:        # the moves worth an edge
    uint32_t rows[MAX_SIZE]     # per row: bit x set
    int count
    bint complete               # they are every move that can matter

# Makes the edges of a node from shape weights of the allowed cells (all of them when complete, those near stones
# otherwise). False when the pool is full.
cdef bint expand_by_shape(
    Tree* tree, Node* node, const BoardState* b, const Allowed* allowed, float prior_cut
) noexcept nogil
# The same from a network's logits, [height * width] row by row.
cdef bint expand_by_logits(
    Tree* tree, Node* node, int width, int height, const float* logits, const Allowed* allowed, float prior_cut
) noexcept nogil
# Adds the allowed cells that have no edge yet, sharing `mass` of prior; those near stones, or with `all` every one.
# Only the last makes the node complete. False when the pool is full.
cdef bint widen(
    Tree* tree, Node* node, const BoardState* b, const Allowed* allowed, float mass, bint all
) noexcept nogil
