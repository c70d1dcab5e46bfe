# The search tree as bytes, to be kept in a file, and back.

from cython_core.rules.board cimport BoardState
from cython_core.search.tree cimport Tree

# Hands what is reachable from the board's position to `write(bytes)`; returns how many nodes that were.
cdef object pack_tree(Tree* tree, BoardState* b, object write)
# Replaces the tree by what `read(size)` gives, from the board's position on; returns how many nodes that were. ValueError
# where it does not fit the position or the pools: then the tree is empty, and the board is not as it was.
cdef object unpack_tree(Tree* tree, BoardState* b, object read)
