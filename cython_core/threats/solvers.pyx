"""The Python face of the solvers: checked arguments in, named results out."""

from collections import namedtuple

from cython_core.rules.patterns cimport CLASS_FIVE
from cython_core.rules.position cimport Board
from cython_core.rules.typedefs cimport *
from cython_core.threats.defence cimport defences as list_defences, line_wins
from cython_core.threats.proofs cimport read_fours, read_proof
from cython_core.threats.vcf cimport (
    MAX_LINE, VCF_UNKNOWN, VCF_WIN, Line, VcfEntry, VcfTable, solve_short_vcf as search_short_vcf, solve_vcf as search_vcf,
    vcf_table_create, vcf_table_free,
)
from cython_core.threats.vct cimport VCT_WIN, plies_of_win, solve_vct as search_vct, vct_table_create, vct_table_free
from cython_core.threats.vct_graph cimport VctTable

VcfResult = namedtuple("VcfResult", "status line nodes")
VctResult = namedtuple("VctResult", "status move line plies proof nodes")

cdef enum:
    MAX_TABLE_BYTES = 64 << 20      # of a VCF
    MAX_GRAPH_BYTES = 1 << 30       # of a VCT, where its node limit allows as much; what is not used is never touched
    CHECK_NODES = 1000000   # stones for the check of a line that was handed in
    BYTES_PER_NODE = 200    # of a VCT: one stone in three or so makes a node of the graph


cdef object status_name(int status):
    return "win" if status == VCF_WIN else "unknown" if status == VCF_UNKNOWN else "none"


cdef int check_question(Board board, int attacker, int nodes) except -1:
    if attacker not in (BLACK, WHITE):
        raise ValueError(f"no such side: {attacker}")
    if nodes < 0:
        raise ValueError(f"a node limit cannot be negative: {nodes}")
    if board.state.winner != EMPTY:
        raise ValueError("the game is over")
    return 0


def solve_vcf(Board board, int attacker, int nodes, *, int fours=0):
    """Can `attacker`, moving now, win by continuous fours? Places at most `nodes` stones. With `fours` only a win by at
    most that number of moves counts: "none" then says that there is no shorter one."""
    cdef Line line
    cdef int status, used = 0
    cdef VcfTable* table
    check_question(board, attacker, nodes)
    table = vcf_table_create(min(<size_t>MAX_TABLE_BYTES, 2 * sizeof(VcfEntry) * <size_t>nodes))
    if table is NULL:
        raise MemoryError("no memory for a table")
    with nogil:
        if fours > 0:
            status = search_short_vcf(board.state, attacker, fours, nodes, table, &line, &used)
        else:
            status = search_vcf(board.state, attacker, nodes, table, &line, &used)
        vcf_table_free(table)
    cells = [line.cells[i] for i in range(line.length)] if status == VCF_WIN else []
    return VcfResult(status_name(status), cells, used)


cdef int check_line(Board board, int attacker, list line, Line* checked) except -1:
    """Copies a line; ValueError unless it wins."""
    cdef int left = CHECK_NODES
    check_question(board, attacker, 0)
    if not 0 < len(line) <= MAX_LINE:
        raise ValueError(f"a line has 1..{MAX_LINE} cells, not {len(line)}")
    checked.length = len(line)
    for i, cell in enumerate(line):
        checked.cells[i] = board.vacant(cell)
    if not line_wins(board.state, attacker, checked.cells, checked.length, &left):
        raise ValueError("the line does not win")
    return 0


def prove_fours(Board board, int attacker, list line):
    """The proof that a VCF line of `attacker`, who moves next, is."""
    cdef Line checked
    check_line(board, attacker, line, &checked)
    return read_fours(board, attacker, line)


def defences(Board board, int attacker, list line):
    """Every legal move of the other side that might break this VCF line of `attacker`, who would move next."""
    cdef Line threat
    cdef int16_t found[CELLS]
    cdef int count
    check_line(board, attacker, line, &threat)
    if board.state.class_count[1 - attacker][CLASS_FIVE]:
        raise ValueError("the other side has a five")
    with nogil:
        count = list_defences(board.state, attacker, &threat, found)
    return [found[i] for i in range(count)]


def solve_vct(Board board, int attacker, int nodes, *, bint proof=True, size_t memory=MAX_GRAPH_BYTES):
    """Can `attacker`, moving now, win by continuous threats? Places hardly more than `nodes` stones; the proof of a win,
    if wanted, takes more. The table has at most `memory` bytes: "unknown" when it is full."""
    cdef Line line
    cdef int status, plies, used = 0
    cdef VctTable* table
    check_question(board, attacker, nodes)
    table = vct_table_create(min(memory, BYTES_PER_NODE * <size_t>nodes))
    if table is NULL:
        raise MemoryError("no memory for a table")
    try:
        with nogil:
            status = search_vct(board.state, attacker, nodes, table, &line, &used)
        if status != VCT_WIN:
            return VctResult(status_name(status), None, [], 0, None, used)
        plies = plies_of_win(table)
        cells = [line.cells[i] for i in range(line.length)]
        return VctResult("win", cells[0], cells, plies, read_proof(board, attacker, table) if proof else None, used)
    finally:
        vct_table_free(table)
