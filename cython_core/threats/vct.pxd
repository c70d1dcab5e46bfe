# Decides a win by continuous threats (VCT): fours, and quiet moves that threaten a win by fours.
#
# Proof-number search over a graph kept in one arena. A node with the attacker to move lists his threats; a node
# with the defender to move lists every reply that might hold against the threat, and keeps the line that beats all
# others. A solved graph is therefore the proof.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *
from cython_core.threats.vcf cimport Line, VcfTable

cdef enum:
    NO_NODE = -1

cdef enum:              # answers of the solver
    VCT_UNKNOWN = -1    # a limit was reached first
    VCT_NONE = 0        # every threat the solver knows was tried
    VCT_WIN = 1

ctypedef struct VctEdge:
    int32_t child       # NO_NODE until first visited
    int16_t cell
    uint8_t first_proof     # proof number until visited
    uint8_t padding

ctypedef struct VctNode:
    uint64_t key            # of the stones; whose turn it is follows from their number
    uint32_t proof          # least number of leaves to win for a proof: 0 proven
    uint32_t disproof       # the same for a refutation: 0 refuted
    int32_t edges           # first edge
    int32_t line            # first cell: the VCF that wins here (attacker's turn) or threatens to (defender's)
    uint16_t edge_count
    uint16_t line_length
    uint16_t line_plies     # to the five by that line, attacker to move
    uint16_t distance       # plies to the five of a proven win against every defence, once measured
    bint expanded

ctypedef struct Slot:
    uint32_t generation     # stale unless equal to the table's
    int32_t node

ctypedef struct VctTable:
    VctNode* nodes          # 0 is the root of the newest question
    VctEdge* edges
    int16_t* lines
    Slot* slots             # open addressing, key -> node
    VcfTable* fours
    int node_count, edge_count, line_count
    int max_nodes, max_edges, max_lines
    uint64_t slot_mask
    uint32_t generation

# A table of about `bytes`, NULL when there is no memory. It holds the graph of one question at a time, for one thread.
cdef VctTable* vct_table_create(size_t bytes) noexcept nogil
cdef void vct_table_free(VctTable* table) noexcept nogil

# Can `attacker`, moving now whoever's turn it is, win by continuous threats? Nobody may have won yet.
# VCT_WIN fills `line` with the shortest way found against the longest defence that needs an answer of its own, cut at
# MAX_LINE; it ends with a five or a four nobody can stop. No defence lasts longer than `plies_of_win`. `nodes` is set to the stones placed, those of inner solvers included, hardly ever above `node_limit`.
# The board is restored before it returns. The graph stays in the table until the next question.
cdef int solve_vct(
    BoardState* b, int attacker, int node_limit, VctTable* table, Line* line, int* nodes
) noexcept nogil
# Plies to the five that the table has just found, against every defence.
cdef inline int plies_of_win(const VctTable* table) noexcept nogil:
    return table.nodes[0].distance
