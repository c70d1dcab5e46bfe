# Turns priors into edges: sorted, cut where the rest no longer matters, and widened later.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *
from cython_core.search.tree cimport Node, Tree

ctypedef struct Allowed:        # the moves worth an edge
    uint32_t rows[MAX_SIZE]     # per row: bit x set
    int count
    uint8_t complete            # 0, or the plies within which every other move loses at the latest; 1: there is none

ctypedef struct Weighted:
    float weight
    int16_t cell

ctypedef struct Choice:         # moves with their weights, heaviest first
    int count
    double total                # of all weights, those left out included
    Weighted moves[CELLS]

# The allowed moves (when they are not complete, those near stones until their weights sum up to `prior_cut`) by their
# shapes. Knows no tree, so it needs no lock.
cdef void choose_by_shape(
    const BoardState* b, const Allowed* allowed, float prior_cut, Choice* choice
) noexcept nogil
# The same from a network's logits, [height * width] row by row.
cdef void choose_by_logits(
    int width, int height, const float* logits, const Allowed* allowed, float prior_cut, Choice* choice
) noexcept nogil
# Makes the first edges of a node. False when the pool is full.
cdef bint expand(Tree* tree, Node* node, const Choice* choice, const Allowed* allowed) noexcept nogil
# Adds the allowed cells that have no edge yet, sharing `mass` of prior; those near stones, or with `all` every one.
# Only the last makes the node complete. False when the pool is full.
cdef bint widen(
    Tree* tree, Node* node, const BoardState* b, const Allowed* allowed, float mass, bint all
) noexcept nogil
