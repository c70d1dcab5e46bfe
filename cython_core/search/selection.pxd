# Which edge of a node the next simulation takes.

from cython_core.rules.typedefs cimport *
from cython_core.search.ancestors cimport POLICIES, PUCT
from cython_core.search.tree cimport Node, Tree

ctypedef struct SelectionOptions:
    int policy                  # PUCT, or another of ancestors.pxd
    float explore               # PUCT: c at a new node; UCB1: c
    float explore_log           # PUCT: growth of c per e-fold of visits
    float explore_base          # PUCT: visits after which c starts to grow
    float fpu_reduction         # PUCT: how much below its parent an unvisited move is assumed, at full visited prior

# Index of the edge to follow; -1 when every edge is proven lost (the node is then proven, or must be widened).
# A proven win is returned at once. The node is expanded.
cdef int select_edge(const Tree* tree, const Node* node, const SelectionOptions* options) noexcept nogil
