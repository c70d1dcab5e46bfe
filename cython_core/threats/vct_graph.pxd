# The graph of a VCT search: nodes, edges and lines of fours in one arena, found by their keys.

from cython_core.rules.typedefs cimport *
from cython_core.threats.vcf cimport Line, VcfTable

cdef enum:
    NO_NODE = -1

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

# Plies to the five of a proven win: the attacker takes the shortest proven way, the defender the longest.
cdef int measure(VctTable* table, VctNode* node, bint attacking) noexcept nogil
# The way of a proven root that was measured: the shortest win against the longest defence, cut at MAX_LINE.
cdef void principal_line(VctTable* table, Line* line) noexcept nogil
