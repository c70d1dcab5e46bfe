# Lists every move that might hold against a threatened line of fours.
#
# Against a five, `glance.five_stoppers` is the whole answer.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *
from cython_core.threats.vcf cimport Line

# The attacker would win by `line` if the defender passed; the defender has no five. Writes every legal cell where a
# stone of the defender might break the line (`out` has room for CELLS) and returns how many: cells of the line in
# its order, then the others ascending. After a move that is left out the very same line still wins. `nodes` grows
# by the stones placed. The board is restored before it returns.
cdef int find_defences(BoardState* b, int attacker, const Line* line, int16_t* out, int* nodes) noexcept nogil
# The same for callers that do not count nodes.
cdef int defences(BoardState* b, int attacker, const Line* line, int16_t* out) noexcept nogil
# Does the attacker, to move, win by exactly these moves whatever the defender does? `left` falls by the stones placed;
# once it is used up the answer is no.
cdef bint line_wins(BoardState* b, int attacker, const int16_t* line, int length, int* left) noexcept nogil
# Plies until the five when the attacker, to move, follows a VCF line.
cdef int line_plies(BoardState* b, int attacker, const Line* line) noexcept nogil
