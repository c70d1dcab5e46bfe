# Runs simulations over tree, solvers and rollouts; asks an evaluator here, or hands out leaves for one outside.
#
# One simulation: select a path by the policy, resolve the leaf by proof if possible, otherwise evaluate it (at once by
# an evaluator in the core or by shapes, or later by one outside), and back the result up. Each thread owns a Worker; the
# tree is shared under one lock that is free while a leaf is solved, rolled out or evaluated.

from cython_core.network.evaluator cimport Seat
from cython_core.rules.board cimport BoardState
from cython_core.rules.rng cimport Rng
from cython_core.rules.typedefs cimport *
from cython_core.search.expansion cimport Allowed, Choice
from cython_core.search.resolution cimport Resolution
from cython_core.search.tree cimport Tree
from cython_core.search.tunables cimport Tunables
from cython_core.threats.vcf cimport Line, VcfTable
from cython_core.threats.vct_graph cimport VctTable

cdef enum:
    MAX_DEPTH = 512             # plies of one simulation
    MAX_BATCH = 64              # leaves in flight per worker

ctypedef struct Leaf:
    int depth                   # edges on the path
    int32_t nodes[MAX_DEPTH]    # from the root to the leaf
    int32_t edges[MAX_DEPTH]    # edge taken at each of them, counted within its node
    Allowed allowed             # moves worth an edge
    float rollout               # mean of its rollouts for the side to move

ctypedef struct Shared:         # what the workers of a search have in common
    Tree tree
    Tunables options
    int lock
    int stop                    # set to end every run early
    int in_flight               # simulations under way
    int recycling_over          # no time is left to recycle: full pools end the search
    int full                    # a pool is exhausted: no new simulations until it was recycled
    int serial                  # changes with the root position
    int first_move              # root move that every simulation begins with while it is open; NO_CELL: any
    BoardState* root_board
    int64_t simulations         # finished since the root was set
    int64_t solver_nodes
    int max_depth               # deepest path since the root was set
    int failed                  # the evaluator has given an answer with a NaN or an infinity

ctypedef struct WorkerState:
    Shared* shared
    BoardState* board
    int serial
    VcfTable* vcf_table
    VctTable* vct_table
    Line line
    Rng rng
    int leaf_count
    Leaf leaves[MAX_BATCH]
    Choice choice               # work space
    Seat seat                   # of the evaluator; all NULL without one
    float* inputs               # where the inputs of leaf i go, one after the other, for an evaluator outside
    float logits[CELLS]         # answers of the evaluator
    float wdl[3]

# Simulations with the worker's evaluator, or without one with shape priors and static estimate; and rollouts. Returns
# how many were finished: fewer when the root is proven or the search was stopped.
cdef int run_alone(WorkerState* w, int simulations) noexcept nogil
# Simulations until `wanted` leaves wait for an evaluator outside; returns how many do, their inputs written.
cdef int collect_leaves(WorkerState* w, int wanted) noexcept nogil
# Takes an evaluator's word on a leaf: policy logits and win, draw, loss shares.
cdef void apply_leaf(WorkerState* w, const Leaf* leaf, const float* logits, const float* wdl) noexcept nogil
# Forgets the leaves that wait for an evaluator outside.
cdef void drop_all(WorkerState* w) noexcept nogil
