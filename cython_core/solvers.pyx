"""The Python face of the solvers: checked arguments in, named results out."""

from collections import namedtuple

from cython_core.position cimport Board
from cython_core.typedefs cimport BLACK, EMPTY, WHITE
from cython_core.vcf cimport (
    VCF_UNKNOWN, VCF_WIN, Line, VcfEntry, VcfTable, solve_vcf as search_vcf, vcf_table_create, vcf_table_free,
)

VcfResult = namedtuple("VcfResult", "status line nodes")

cdef enum:
    MAX_TABLE_BYTES = 64 << 20


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


def solve_vcf(Board board, int attacker, int nodes):
    """Can `attacker`, moving now, win by continuous fours? Places at most `nodes` stones."""
    cdef Line line
    cdef int status, used = 0
    cdef VcfTable* table
    check_question(board, attacker, nodes)
    table = vcf_table_create(min(<size_t>MAX_TABLE_BYTES, 2 * sizeof(VcfEntry) * <size_t>nodes))
    if table is NULL:
        raise MemoryError("no memory for a table")
    with nogil:
        status = search_vcf(board.state, attacker, nodes, table, &line, &used)
        vcf_table_free(table)
    cells = [line.cells[i] for i in range(line.length)] if status == VCF_WIN else []
    return VcfResult(status_name(status), cells, used)
