# Which edge of a node the next simulation takes: the named selection policies.

from cython_core.tree cimport Node, Tree
from cython_core.typedefs cimport *

cdef enum:                      # policies
    PUCT = 0                    # Renga's own
    UCB1 = 1                    # S3: every move once, then mean + c sqrt(ln N / n)
    FIVE_BEST = 2               # S0: the five best priors in turn, then R/C + (2 + 2p)/sqrt(1 + C)
    THRESHOLDS = 3              # S4: [R > 0.85 N] + [R > 0.25 N] + (R + 10 pi)/(1 + N)
    POLICIES = 4

ctypedef struct SelectionOptions:
    int policy
    float explore               # PUCT: c at a new node; UCB1: c
    float explore_log           # PUCT: growth of c per e-fold of visits
    float explore_base          # PUCT: visits after which c starts to grow
    float fpu_reduction         # PUCT: how much below its parent an unvisited move is assumed, at full visited prior

# Index of the edge to follow; -1 when every edge is proven lost (the node is then proven, or must be widened).
# A proven win is returned at once. The node is expanded.
cdef int select_edge(const Tree* tree, const Node* node, const SelectionOptions* options) noexcept nogil
