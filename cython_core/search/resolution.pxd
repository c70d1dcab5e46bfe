# Decides a leaf by proof, or lists the moves that are worth an edge.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *
from cython_core.search.expansion cimport Allowed
from cython_core.search.tunables cimport Tunables
from cython_core.threats.vcf cimport Line, VcfTable

ctypedef struct Resolution:
    int proof               # for the side to move (tree.pxd); PROOF_UNKNOWN if open
    int move                # a winning move when the proof is a win, NO_CELL otherwise
    int nodes               # solver nodes spent
    bint calm               # the opponent has no VCF if we pass, nor after any move of ours
    Allowed allowed         # the moves to consider when the proof is open

# Looks at the position for the side to move. `after_calm`: the position before the last move was calm, so our own fours
# need no search. Uses `line` as work space; the board is restored.
cdef void resolve(
    BoardState* b, const Tunables* options, bint after_calm, VcfTable* table, Line* line, Resolution* out
) noexcept nogil
# Every legal move of the side to move.
cdef void allow_legal(BoardState* b, Allowed* allowed) noexcept nogil
