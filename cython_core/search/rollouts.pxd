# Plays a threat-sequence game to its end and returns the result.

from cython_core.rules.board cimport BoardState
from cython_core.rules.rng cimport Rng, next_random, next_uniform
from cython_core.rules.typedefs cimport *

# Plays on from the position and returns the result for the side to move there: 1 win, 0 loss, 0.5 draw; the static
# estimate of the last position when nobody has won after `max_plies` stones. Both sides win when they can by at
# most three plies, answer fours and open threes, and choose by shape weight otherwise; black plays no foul. Nobody
# may have won yet. The board is restored.
#
# How well one value foretells the result of 4,002 held-out teacher positions, as AUC: the estimate alone 0.846; the
# mean of 16 rollouts of 8 / 12 / 20 plies 0.856 / 0.852 / 0.847, and 0.884 / 0.887 / 0.888 in equal parts with the
# estimate. A single rollout is noisy (0.73 at 8 plies): beside the estimate it deserves a share of 0.15 to 0.3.
cdef float rollout(BoardState* b, Rng* rng, int max_plies) noexcept nogil

# The same, but the stones stay on the board.
cdef float play_out(BoardState* b, Rng* rng, int max_plies) noexcept nogil

# A cell of the list that the side to move may play, drawn by weight; NO_CELL if there is none. The lists are used up.
cdef int drawn_cell(BoardState* b, Rng* rng, int16_t* cells, float* weights, int count) noexcept nogil
