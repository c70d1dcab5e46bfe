# What won in a similar position: the order of moves in a VCT graph where part of it is proven.

from cython_core.rules.typedefs cimport *
from cython_core.threats.vct_graph cimport VctNode, VctTable

# The move of a proven node with the attacker to move, and the node it leads to; NO_NODE where a line of fours wins.
cdef int winning_move(const VctTable* table, int won, int* child) noexcept nogil
# Lets a move that was not tried yet have this proof number.
cdef void prefer(VctTable* table, const VctNode* node, int cell, int proof) noexcept nogil
# A proven position that resembles the one after this reply to a threat: after the same reply in the model (a proven
# node with the defender to move, or NO_NODE), else after another reply here or there. NO_NODE if nothing is proven yet.
cdef int similar_win(const VctTable* table, const VctNode* node, int model, int reply) noexcept nogil
