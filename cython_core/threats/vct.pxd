# Decides a win by continuous threats (VCT): fours, and quiet moves that threaten a win by fours.
#
# Proof-number search over a graph kept in one arena. A node with the attacker to move lists his threats; a node
# with the defender to move lists every reply that might hold against the threat, and keeps the line that beats all
# others. A solved graph is therefore the proof.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *
from cython_core.threats.vcf cimport Line
from cython_core.threats.vct_graph cimport VctTable

cdef enum:              # answers of the solver
    VCT_UNKNOWN = -1    # a limit was reached first
    VCT_NONE = 0        # every threat the solver knows was tried
    VCT_WIN = 1

# A table of about `bytes`, NULL when there is no memory. It holds the graph of one question at a time, for one thread.
cdef VctTable* vct_table_create(size_t bytes) noexcept nogil
cdef void vct_table_free(VctTable* table) noexcept nogil

# Can `attacker`, moving now whoever's turn it is, win by continuous threats? Nobody may have won yet.
# VCT_WIN fills `line` with the shortest way found against the longest defence that needs an answer of its own, cut at
# MAX_LINE; it ends with a five or a four nobody can stop. No defence lasts longer than `plies_of_win`. `nodes` is set
# to the stones placed, those of inner solvers included, hardly ever above `node_limit`. The board is restored before it returns. The graph stays in the table until the next question.
cdef int solve_vct(
    BoardState* b, int attacker, int node_limit, VctTable* table, Line* line, int* nodes
) noexcept nogil
# Plies to the five that the table has just found, against every defence.
cdef inline int plies_of_win(const VctTable* table) noexcept nogil:
    return table.nodes[0].distance
