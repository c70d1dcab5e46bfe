# Which edge of a node the next simulation takes.

from cython_core.rules.typedefs cimport *
from cython_core.search.ancestors cimport POLICIES, PUCT
from cython_core.search.tree cimport Node, Tree
from cython_core.search.tunables cimport Tunables

# Index of the edge to follow; -1 when every edge is proven lost (the node is then proven, or must be widened).
# A proven win is returned at once. The node is expanded.
cdef int select_edge(const Tree* tree, const Node* node, const Tunables* options) noexcept nogil
