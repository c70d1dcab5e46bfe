# Node and edge pools of the search tree: transpositions, statistics, proofs, recycling.
#
# Nodes are positions, found by their key, so different move orders share one node. An edge is a candidate move
# of a node. Values are win rates in 0..1 for the side to move at the node; an edge's value is for the side that
# plays it. Nothing here knows how a position is evaluated.

from cython_core.rules.typedefs cimport *

cdef enum:
    NO_NODE = -1
    PROOF_UNKNOWN = 0
    PROOF_DRAW = 1
    PROOF_WIN = 20000       # a win in n plies is PROOF_WIN - n, a loss in n plies n - PROOF_WIN

cdef enum:                  # life of a node
    FRESH = 0               # never evaluated
    PENDING = 1             # its evaluation is on the way
    EXPANDED = 2            # evaluated: it has edges, or a proof

ctypedef struct Edge:
    int16_t cell
    uint16_t prior          # share of the policy, 65535 = all
    int16_t proof           # for the side that plays it; PROOF_UNKNOWN if open
    uint16_t inflight       # simulations below this edge that have not returned (virtual losses)
    uint32_t visits
    int32_t child           # NO_NODE if never made, or recycled
    float value             # mean result for the side that plays it; meaningless without visits

ctypedef struct Node:
    uint64_t key
    double value_sum        # results for the side to move
    float square_sum        # their squares, for confidence bounds
    float draw_sum          # their draw shares
    uint32_t visits
    int32_t edges           # first edge in the pool
    uint16_t edge_count
    uint16_t edge_room      # size class: edges that fit
    int16_t proof           # for the side to move
    int16_t proof_move      # a move that wins, when the proof says so; NO_CELL if unknown
    uint8_t state
    uint8_t complete        # losing all edges loses: every other move does so within this many plies; 1: there is none
    uint8_t widened         # candidates beyond the first priors have got their edges
    uint8_t solved          # how often the VCT solver has looked here
    uint8_t calm            # after no move of the side to move, nor if it passes, does it lose to fours
    uint8_t mark            # used by recycling only

ctypedef struct Tree:
    Node* nodes
    Edge* edges
    int32_t* buckets        # hash table: complements of node numbers, so that the zeros of fresh memory are free
    uint64_t* scratch       # work space of recycling, one word per node
    uint64_t bucket_mask
    int32_t node_room       # nodes the pool holds
    int32_t node_count      # nodes in use
    int32_t node_top        # nodes ever handed out since the last clear
    int32_t free_node       # list through Node.edges
    int32_t edge_room
    int32_t edge_top
    int32_t edge_count      # edges in blocks handed out
    int32_t free_block[11]  # per size class (4 << class edges): list through Edge.child
    int32_t root
    int32_t recycled        # how often the pool was recycled

# Allocates pools that fit into `bytes`; False when there is no memory.
cdef bint tree_create(Tree* tree, int64_t bytes) noexcept nogil
cdef void tree_free(Tree* tree) noexcept nogil
# Forgets every node.
cdef void tree_clear(Tree* tree) noexcept nogil
# The node of a position, made FRESH if unknown; NO_NODE when the pool is full.
cdef int32_t find_or_make(Tree* tree, uint64_t key) noexcept nogil
cdef int32_t find(const Tree* tree, uint64_t key) noexcept nogil
# Makes room for `count` edges at a node, keeping those it has; False when the pool is full.
cdef bint reserve_edges(Tree* tree, Node* node, int count) noexcept nogil
# Gives the least visited part of the tree back to the pools and closes the gaps. Nothing may be in flight.
cdef void recycle(Tree* tree) noexcept nogil
# Records one result (win rate and draw share for the side to move) at a node.
cdef void add_result(Node* node, double value, double draw) noexcept nogil
# Records the same result at the edge that led here, and takes over the child's proof.
cdef void add_edge_result(Tree* tree, Edge* edge, double value) noexcept nogil
# Brings a node's proof up to date with its edges. True if it is proven.
cdef bint prove_from_edges(Tree* tree, Node* node) noexcept nogil

cdef inline int proof_for_parent(int proof) noexcept nogil:
    """What a child's proof means to the side that moved there, one ply further away."""
    if proof > PROOF_DRAW:
        return 1 - proof
    if proof < PROOF_UNKNOWN:
        return -1 - proof
    return proof

cdef inline object plies_of(int proof):
    """Plies to the proven end, as people count them: +n won, -n lost, 0 drawn; None if open."""
    if proof == PROOF_UNKNOWN:
        return None
    if proof == PROOF_DRAW:
        return 0
    return PROOF_WIN - proof if proof > 0 else -(proof + PROOF_WIN)

cdef inline double proof_value(int proof) noexcept nogil:
    return 1.0 if proof > PROOF_DRAW else (0.0 if proof < PROOF_UNKNOWN else 0.5)

cdef inline double mean_value(const Node* node) noexcept nogil:
    if node.proof != PROOF_UNKNOWN:
        return proof_value(node.proof)
    if node.visits == 0:
        return 0.5
    return node.value_sum / node.visits

cdef inline Edge* edges_of(const Tree* tree, const Node* node) noexcept nogil:
    return tree.edges + node.edges

cdef inline double value_with_losses(const Edge* edge) noexcept nogil:
    """The edge's value if the simulations in flight below it all lost; there must be a visit or one of them."""
    return edge.value * edge.visits / (edge.visits + edge.inflight)
