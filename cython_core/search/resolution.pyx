"""Leaf resolution: finished game, glance, VCF for either side, defences. Every proof given is exact.

A hit of the opponent's VCF (as if we passed) does not decide the leaf: it restricts our moves to real defences.
"""

from libc.string cimport memset

from cython_core.rules.board cimport empty_row, place, set_side, undo
from cython_core.rules.cellset cimport add_cell
from cython_core.rules.forbidden cimport is_foul
from cython_core.rules.patterns cimport CLASS_FIVE, CLASS_FOUL, CLASS_MAYBE_FOUL
from cython_core.search.tree cimport PROOF_DRAW, PROOF_UNKNOWN, PROOF_WIN
from cython_core.threats.defence cimport defences, line_plies
from cython_core.threats.glance cimport (
    LOSS_IN_TWO, MUST_ANSWER, WIN_IN_ONE, WIN_IN_THREE, Glance, glance,
)
from cython_core.threats.vcf cimport VCF_NONE, VCF_WIN, solve_vcf


cdef void allow_legal(BoardState* b, Allowed* allowed) noexcept nogil:
    cdef uint32_t* rows = allowed.rows
    cdef int y, x
    for y in range(b.height):
        rows[y] = empty_row(b, y)
    for y in range(b.height, MAX_SIZE):
        rows[y] = 0
    allowed.complete = 0
    allowed.count = b.empties
    if b.rule.fouls and b.side == BLACK:
        for y in range(b.height):
            # Only these two classes can be fouls.
            if b.class_rows[BLACK][CLASS_FOUL][y] | b.class_rows[BLACK][CLASS_MAYBE_FOUL][y]:
                for x in range(b.width):
                    if rows[y] >> x & 1 and is_foul(b, y * STRIDE + x):
                        rows[y] ^= <uint32_t>1 << x
                        allowed.count -= 1


cdef enum:
    LONGEST_KNOWN = 255         # plies that Allowed.complete holds


cdef void allow_only(Allowed* allowed, const int16_t* cells, int count, int others_lose_in) noexcept nogil:
    cdef int i
    memset(allowed.rows, 0, sizeof(allowed.rows))
    for i in range(count):
        add_cell(allowed.rows, cells[i])
    allowed.count = count
    allowed.complete = others_lose_in


cdef void resolve(
    BoardState* b, const Tunables* options, bint after_calm, VcfTable* table, Line* line, Resolution* out
) noexcept nogil:
    cdef Glance view
    cdef int16_t cells[CELLS]
    cdef int side = b.side, nodes = 0, count, plies, answer
    out.proof = PROOF_UNKNOWN
    out.move = NO_CELL
    out.nodes = 0
    out.calm = False

    # 1. The game is over.
    if b.winner != EMPTY:
        out.proof = PROOF_WIN if b.winner == side else -PROOF_WIN
        return
    if b.empties == 0:
        out.proof = PROOF_DRAW
        return

    # 2. What three plies show.
    view.verdict = 0
    if options.statics:
        glance(b, &view)
        if view.verdict == WIN_IN_ONE or view.verdict == WIN_IN_THREE:
            out.proof = PROOF_WIN - (1 if view.verdict == WIN_IN_ONE else 3)
            out.move = view.cells[0]
            return
        if view.verdict == LOSS_IN_TWO:
            out.proof = 2 - PROOF_WIN
            return

    # 3. Our own fours.
    if options.own_vcf_nodes > 0 and not after_calm:
        if solve_vcf(b, side, options.own_vcf_nodes, table, line, &nodes) == VCF_WIN:
            out.proof = PROOF_WIN - line_plies(b, side, line)
            out.move = line.cells[0]
            out.nodes += nodes
            return
        out.nodes += nodes

    # 4. What must be answered.
    if view.verdict == MUST_ANSWER:
        allow_only(&out.allowed, view.cells, view.count, 2)
        return
    if options.other_vcf_nodes > 0:
        answer = solve_vcf(b, 1 - side, options.other_vcf_nodes, table, line, &nodes)
        # Where an overline is no five, a move may spoil its own side's counter-fours or, in renju, make a reply a foul.
        out.calm = answer == VCF_NONE and b.rule.overline_wins[BLACK] and b.rule.overline_wins[WHITE]
        if answer == VCF_WIN:
            out.nodes += nodes
            count = defences(b, 1 - side, line, cells)
            plies = 1 + line_plies(b, 1 - side, line)
            if count == 0:
                out.proof = plies - PROOF_WIN
                return
            if plies <= LONGEST_KNOWN:
                allow_only(&out.allowed, cells, count, plies)
                return
        else:
            out.nodes += nodes
    allow_legal(b, &out.allowed)
    if out.allowed.count == 0:
        out.proof = PROOF_DRAW
