"""Loops for `bench`: repeat one operation of the core many times with no Python in between.

Each returns what it counted; the caller holds the watch.
"""

from cython_core.network.encoding cimport list_rows
from cython_core.network.features cimport line_features
from cython_core.network.trunk cimport Scratch, Trunk, run_trunk, scratch_create, scratch_free
from cython_core.rules.board cimport BoardState, Change, Move, play, undo
from cython_core.rules.position cimport Board
from cython_core.rules.rng cimport Rng
from cython_core.rules.typedefs cimport *
from cython_core.search.estimate cimport estimate
from cython_core.search.rollouts cimport rollout
from cython_core.threats.glance cimport Glance, glance
from cython_core.threats.vcf cimport Line, VcfTable, solve_vcf, vcf_table_clear, vcf_table_create, vcf_table_free


def play_and_undo(Board board, list cells, int repeats):
    """Plays the cells in order and takes them back, `repeats` times; returns the number of play+undo pairs."""
    cdef BoardState* b = board.state
    cdef int count = len(cells), round_, i
    cdef int moves[CELLS]
    for i in range(count):
        moves[i] = board.vacant(cells[i])
    if len(set(cells)) != count:
        raise ValueError("a cell appears twice")
    with nogil:
        for round_ in range(repeats):
            for i in range(count):
                play(b, moves[i])
            for i in range(count):
                undo(b)
    return count * repeats


def glances(Board board, int repeats):
    """Asks the static question `repeats` times; returns the number of glances."""
    cdef Glance found
    cdef int i
    with nogil:
        for i in range(repeats):
            glance(board.state, &found)
    return repeats


def rollouts(Board board, int count, uint64_t seed, int max_plies):
    """Plays `count` rollouts; returns how many."""
    cdef Rng rng
    cdef int i
    rng.state = seed
    with nogil:
        for i in range(count):
            rollout(board.state, &rng, max_plies)
    return count


def line_feature_maps(Board board, const int16_t[:, ::1] table, const float[::1] scales, float[:, :, ::1] out,
                      int repeats):
    """Writes the line features of the position `repeats` times; returns how many maps.

    Buffers are as in `features.write_line_features`, which should have accepted them first.
    """
    cdef int i
    with nogil:
        for i in range(repeats):
            line_features(board.state, board.state.side, &table[0, 0], table.shape[1], &scales[0], &out[0, 0, 0])
    return repeats


def snapshot(Board board):
    """Every field of a position as bytes, for comparing it before and after a call that must restore it."""
    cdef BoardState* b = board.state
    cdef size_t fixed = <char*>&b.moves[0] - <char*>b
    return (
        (<char*>b)[:fixed],
        (<char*>&b.moves[0])[:b.ply * sizeof(Move)],
        (<char*>&b.log[0])[:b.log_length * sizeof(Change)],
    )


def vcf_nodes(list boards, int node_limit, int repeats):
    """Solves for the side to move of each board, `repeats` times with a fresh table; returns the stones placed."""
    cdef VcfTable* table = vcf_table_create(1 << 20)
    cdef Line line
    cdef Board board
    cdef int round_, nodes = 0
    cdef int64_t total = 0
    if table is NULL:
        raise MemoryError("no memory for a table")
    for round_ in range(repeats):
        for board in boards:
            vcf_table_clear(table)
            solve_vcf(board.state, board.state.side, node_limit, table, &line, &nodes)
            total += nodes
    vcf_table_free(table)
    return total


def estimates(Board board, int repeats):
    """Judges the position `repeats` times; returns the number of estimates."""
    cdef int i
    with nogil:
        for i in range(repeats):
            estimate(board.state)
    return repeats


def judged_positions(Board board, Trunk trunk, const int16_t[:, ::1] table, const float[::1] scales, int repeats):
    """Asks the network about the position `repeats` times, features included; returns how often."""
    cdef Scratch scratch
    cdef uint32_t rows[4 * CELLS]
    cdef float logits[CELLS]
    cdef float wdl[3]
    cdef BoardState* b = board.state
    cdef int i
    if not scratch_create(&scratch, trunk.state.channels):
        raise MemoryError("no memory for a trunk")
    with nogil:
        for i in range(repeats):
            list_rows(b, b.side, rows)
            run_trunk(&trunk.state, &scratch, b.width, b.height, rows, &table[0, 0], &scales[0], logits, wdl)
    scratch_free(&scratch)
    return repeats
