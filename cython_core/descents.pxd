# Rollouts as the systems before Renga played them, for the baselines that reproduce those systems.

from cython_core.board cimport BoardState
from cython_core.rollout cimport Rng
from cython_core.typedefs cimport *

cdef enum:                  # styles
    THREAT_SEQUENCES = 0    # Renga's own (rollout.pxd)
    FAST_DESCENT = 1        # S0: at random inside the first non-empty group: own fives, fives to stop, fours of either
                            # side, cells beside a stone
    BIASED = 2              # S3: fives are made and stopped; otherwise by centrality and threats made and broken
    POLICY_SAMPLES = 3      # S4: fives are made; otherwise drawn from the policy, here the shape weights
    STYLES = 4

# One rollout in a style: the result for the side to move, as `rollout` promises. Only THREAT_SEQUENCES resolves wins
# statically and judges a game cut at `max_plies`; the others play to the five and call a cut game a draw.
cdef float descend_in_style(BoardState* b, Rng* rng, int max_plies, int style) noexcept nogil
