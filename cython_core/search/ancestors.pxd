# How the systems before Renga chose, for the baselines that reproduce them: selection policies and rollouts.

from cython_core.rules.board cimport BoardState
from cython_core.rules.rng cimport Rng
from cython_core.rules.typedefs cimport *
from cython_core.search.tree cimport Node, Tree

cdef enum:                      # policies
    PUCT = 0                    # Renga's own (selection.pxd)
    UCB1 = 1                    # S3: every move once, then mean + c sqrt(ln N / n)
    FIVE_BEST = 2               # S0: the five best priors in turn, then R/C + (2 + 2p)/sqrt(1 + C)
    THRESHOLDS = 3              # S4: [R > 0.85 N] + [R > 0.25 N] + (R + 10 pi)/(1 + N)
    POLICIES = 4

cdef enum:                  # styles
    THREAT_SEQUENCES = 0    # Renga's own (rollouts.pxd)
    FAST_DESCENT = 1        # S0: at random inside the first non-empty group: own fives, fives to stop, fours of either
                            # side, cells beside a stone
    BIASED = 2              # S3: fives are made and stopped; otherwise by centrality and threats made and broken
    POLICY_SAMPLES = 3      # S4: fives are made; otherwise drawn from the policy, here the shape weights
    STYLES = 4

# One rollout in a style: the result for the side to move, as `rollout` promises. Only THREAT_SEQUENCES resolves wins
# statically and estimates a game cut at `max_plies`; the others play to the five and call a cut game a draw.
cdef float descend_in_style(BoardState* b, Rng* rng, int max_plies, int style) noexcept nogil

# Index of the edge one of the other policies follows, as `select_edge` promises; `explore` is the c of UCB1.
cdef int select_as_ancestor(const Tree* tree, const Node* node, int policy, double explore) noexcept nogil
