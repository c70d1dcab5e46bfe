# Decides a win by continuous fours (VCF) and returns the line.
#
# Every attacking move makes five or threatens it, so the defender may only stop that five: one reply under most
# rules, a few under caro. A node is one stone placed by the solver.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *

cdef enum:
    MAX_LINE = 256      # cells of the longest line

cdef enum:              # answers of a solver
    VCF_UNKNOWN = -1    # a limit was reached first
    VCF_NONE = 0        # every four was tried: there is no VCF
    VCF_WIN = 1

ctypedef struct Line:
    int length
    int16_t cells[MAX_LINE]     # attacker, defender, attacker, ...; the last move makes five or a four nobody can stop

ctypedef struct VcfEntry:
    uint64_t key            # of the position with the attacker to move
    uint16_t generation     # stale unless equal to the table's
    int16_t move            # winning four, NO_CELL if none is known
    uint8_t none_within     # no win within this number of attacking moves; NEVER: none at all
    uint8_t padding[3]

ctypedef struct VcfTable:
    VcfEntry* entries
    uint64_t mask           # entries - 1, a power of two less one
    uint16_t generation

# A table of at most `bytes`, NULL when there is no memory. One table serves any mix of positions, rules and
# attackers, but only one thread.
cdef VcfTable* vcf_table_create(size_t bytes) noexcept nogil
cdef void vcf_table_clear(VcfTable* table) noexcept nogil
cdef void vcf_table_free(VcfTable* table) noexcept nogil

# Can `attacker`, moving now whoever's turn it is, win by continuous fours? Nobody may have won yet.
# VCF_WIN fills `line`, the shortest found; it wins against every reply: where caro allows several, it shows one
# that holds out longest. `nodes` is set to the stones placed, never above `node_limit`. The board is restored
# before it returns. `table` may be NULL.
cdef int solve_vcf(
    BoardState* b, int attacker, int node_limit, VcfTable* table, Line* line, int* nodes
) noexcept nogil
# The same with those fours only that make a three on another line as well, and those that stop a five on the way. It
# takes a few stones, finds most wins, and VCF_NONE says no more than that. Its table must not serve the other searches.
cdef int solve_direct_vcf(
    BoardState* b, int attacker, int node_limit, VcfTable* table, Line* line, int* nodes
) noexcept nogil
# The same as `solve_vcf` with a limit on the attacking moves; VCF_NONE then only says that there is no shorter win.
cdef int solve_short_vcf(
    BoardState* b, int attacker, int fours, int node_limit, VcfTable* table, Line* line, int* nodes
) noexcept nogil
# Could a stone of the colour on this empty cell be a four or five, by its class alone?
cdef bint makes_four(const BoardState* b, int cell, int colour) noexcept nogil
