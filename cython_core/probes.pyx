"""What nobody needs to play: loops that `bench` times, faces for tests, and the counts that fits are made of.

A loop repeats one operation of the core with no Python in between and returns what it counted; the caller holds the
watch.
"""

from libc.math cimport NAN
from libc.string cimport memset

from cython_core.network.features cimport line_features
from cython_core.network.evaluator cimport Evaluator, Seat
from cython_core.rules.board cimport BoardState, Change, Move, play, shape_in, undo
from cython_core.rules.patterns cimport SHAPES, prepare_tables, tables_of
from cython_core.rules.position cimport Board
from cython_core.rules.rng cimport Rng
from cython_core.rules.rulebook cimport find_rule
from cython_core.rules.typedefs cimport *
from cython_core.search.ancestors cimport STYLES, descend_in_style
from cython_core.search.priors cimport place_of
from cython_core.search.rollouts cimport play_out, rollout
from cython_core.search.tunables cimport Tunables
from cython_core.threats.builders cimport find_near
from cython_core.threats.glance cimport Glance, glance
from cython_core.threats.vcf cimport Line, VcfTable, solve_vcf, vcf_table_clear, vcf_table_create, vcf_table_free

from cython_core.search.tunables import DEFAULTS


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


def shape_at(int rule, int colour, int window):
    """Shape (number) of a window for a colour under a rule."""
    prepare_tables(rule)
    if colour not in (BLACK, WHITE) or not 0 <= window < WINDOWS:
        raise ValueError(f"no such colour or window: {colour}, {window}")
    return tables_of(find_rule(rule)).shape[colour][window]


def shape_counts(Board board, int colour):
    """How often each shape occurs over all empty cells and directions."""
    cdef int cell, direction
    if colour not in (BLACK, WHITE):
        raise ValueError(f"no such colour: {colour}")
    counts = [0] * SHAPES
    for cell in range(CELLS):
        if board.state.cells[cell].stone == EMPTY:
            for direction in range(DIRECTIONS):
                counts[shape_in(board.state, cell, colour, direction)] += 1
    return counts


def place_number(int dx, int dy):
    """Number of the kind of place at this distance from a stone (priors.pyx)."""
    return place_of(abs(dx), abs(dy))


def look(Board board):
    """Verdict of a glance for the side to move, in words, and its cells."""
    cdef Glance found
    glance(board.state, &found)
    verdict = ("undecided", "win in one", "must answer", "loss in two", "win in three")[found.verdict]
    return verdict, [found.cells[i] for i in range(found.count)]


def near_rows(Board board, int colour):
    """The rows of `builders.find_near`: cells near stones of a colour on any line, and on two or more."""
    cdef uint32_t on_one_line[MAX_SIZE]
    cdef uint32_t on_two_lines[MAX_SIZE]
    if colour not in (BLACK, WHITE):
        raise ValueError(f"no such colour: {colour}")
    find_near(board.state, colour, on_one_line, on_two_lines)
    return [on_one_line[y] for y in range(board.height)], [on_two_lines[y] for y in range(board.height)]


cdef int check_rollouts(Board board, int count, int max_plies) except -1:
    if count < 1 or max_plies < 0:
        raise ValueError(f"cannot play {count} rollouts of {max_plies} plies")
    if board.state.winner != EMPTY:
        raise ValueError("the game is over")
    return 0


def mean_result(Board board, int count, uint64_t seed, int max_plies, int style=0):
    """Mean result of `count` rollouts in a style (ancestors.pxd; 0 is Renga's own) for the side to move; the same seed
    gives the same games."""
    cdef Rng rng
    cdef double total = 0
    cdef int i
    check_rollouts(board, count, max_plies)
    if not 0 <= style < STYLES:
        raise ValueError(f"cannot play rollouts in style {style}")
    rng.state = seed
    with nogil:
        for i in range(count):
            total += descend_in_style(board.state, &rng, max_plies, style)
    return total / count


def sample_game(Board board, uint64_t seed, int max_plies):
    """The cells of one rollout in order, and its result for the side to move."""
    cdef Rng rng
    cdef int first_ply = board.state.ply
    check_rollouts(board, 1, max_plies)
    rng.state = seed
    result = play_out(board.state, &rng, max_plies)
    cells = [cell for cell, _ in board.history[first_ply:]]
    while board.state.ply > first_ply:
        undo(board.state)
    return cells, result


def struct_names():
    """The names of the tunables as the compiled struct has them."""
    cdef Tunables filled = DEFAULTS
    return set(filled)


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


def evaluations(Board board, Evaluator evaluator not None, int repeats):
    """Asks an evaluator of the core about the position `repeats` times; returns how often."""
    cdef Seat seat
    cdef float logits[CELLS]
    cdef float wdl[3]
    cdef int i
    evaluator.evaluate(board)       # checks that it can
    memset(&seat, 0, sizeof(seat))
    evaluator.take_seat(&seat)
    with nogil:
        for i in range(repeats):
            seat.evaluate(seat.own, board.state, logits, wdl)
    evaluator.leave_seat(&seat)
    return repeats


ctypedef struct Watch:              # what a watching evaluator believes to be on the board
    int16_t cells[CELLS]
    int stones
    int spoilt                      # stones from which on it answers with NaN
    int64_t evaluations
    int64_t wrong                   # evaluations of another board than it was told of


cdef void watch_begin(void* own, const BoardState* b) noexcept nogil:
    cdef Watch* watch = <Watch*>own
    cdef int i
    for i in range(b.ply):
        watch.cells[i] = b.moves[i].cell
    watch.stones = b.ply


cdef void watch_play(void* own, const BoardState* b, int cell) noexcept nogil:
    cdef Watch* watch = <Watch*>own
    watch.cells[watch.stones] = cell
    watch.stones += 1


cdef void watch_undo(void* own, const BoardState* b, int cell) noexcept nogil:
    cdef Watch* watch = <Watch*>own
    watch.stones -= 1
    watch.wrong += watch.cells[watch.stones] != cell


cdef void watch_evaluate(void* own, const BoardState* b, float* logits, float* wdl) noexcept nogil:
    cdef Watch* watch = <Watch*>own
    cdef int i
    cdef bint same = watch.stones == b.ply
    for i in range(min(watch.stones, b.ply)):
        same = same and watch.cells[i] == b.moves[i].cell
    watch.wrong += not same
    watch.evaluations += 1
    for i in range(b.width * b.height):
        logits[i] = 0
    wdl[0], wdl[1], wdl[2] = 0.5, 0, 0.5
    if b.ply >= watch.spoilt:
        logits[b.width] = NAN


cdef class WatchingEvaluator(Evaluator):
    """Holds every position even, and keeps its own list of the stones by what the search tells it. One thread only.

    spoilt: stones from which on its answers have a NaN in them.
    """
    cdef Watch watch

    def __init__(self, int rule, int spoilt=CELLS + 1):
        self.rule = rule
        self.watch.spoilt = spoilt

    def prepare(self, int rule):
        self.claim()
        self.rule = rule

    cdef int take_seat(self, Seat* seat) except -1:
        seat.own = &self.watch
        seat.begin, seat.play, seat.undo, seat.evaluate = watch_begin, watch_play, watch_undo, watch_evaluate
        return 0

    @property
    def evaluations(self):
        return self.watch.evaluations

    @property
    def wrong(self):
        """How often the board was another one than it had been told."""
        return self.watch.wrong
