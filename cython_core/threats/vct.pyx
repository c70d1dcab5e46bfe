"""Win by continuous threats: depth-first proof-number search over fours, threes and other threats of fours.

Owns the graph and the choice of threats. Wins by fours come from `vcf`, complete replies from `defence` and `glance`.
"""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from cython_core.rules.board cimport BoardState, cells_of_class, empty_row, place, set_side, undo
from cython_core.rules.cellset cimport list_row
from cython_core.rules.forbidden cimport is_foul
from cython_core.rules.patterns cimport *
from cython_core.threats.builders cimport find_near
from cython_core.threats.defence cimport find_defences, line_plies
from cython_core.threats.glance cimport five_stoppers
from cython_core.threats.vcf cimport (
    VCF_UNKNOWN, VCF_WIN, makes_four, solve_direct_vcf, solve_vcf, vcf_table_clear, vcf_table_create,
    vcf_table_free,
)
from cython_core.threats.vct_graph cimport NO_NODE, Slot, VctEdge, VctNode, measure, principal_line
from cython_core.threats.vct_models cimport prefer, similar_win, winning_move

cdef enum:
    INFINITE = 1 << 28      # proof number of what cannot be proven
    MAX_DEPTH = 160         # plies
    THOROUGH_NODES = 200    # stones for a VCF by any fours, where the direct ones are not enough
    WIN_NODES = 30          # stones for a direct VCF at each node of the attacker
    THREAT_NODES = 60       # stones for the direct VCF that a quiet move threatens
    COUNTER_NODES = 30      # stones for the VCF by which the defender ignores it

cdef enum:                  # room in a table; about twice what puzzles need
    EDGES_PER_NODE = 24
    CELLS_PER_NODE = 8

# Proof numbers of moves not yet tried, less what their shapes are worth; tuned on every fifth VCT puzzle, 2026-11.
cdef enum:
    FOUR_PROOF = 6          # one reply, but seldom the end
    THREE_PROOF = 10
    BUILDER_PROOF = 14      # often no threat at all
    LEAST_PROOF = 1         # also of a move that has won in a similar position
    REPLY_PROOF = 1
    BUILDS_ENOUGH = 4       # worth of a quiet move that is tried at all...
    BUILDS_A_LITTLE = 2     # ...and where nothing else is left
    # More for a move that has nothing to do with the one before. It could have come earlier, and is tried there too:
    # without this the threats of a position are searched again after every subset of the attacker's fours.
    AFTER_FOUR_PROOF = 30
    AFTER_THREE_PROOF = 5

# Classes of the attacker's moves, in the order in which equal proof numbers are tried.
cdef int[5] THREATS = [CLASS_MAYBE_FOUL, CLASS_FOUR_THREE, CLASS_DOUBLE_THREE, CLASS_FOUR, CLASS_THREE]
# What each shape of a move is worth towards a VCF. Quiet moves worth enough solve one puzzle in seven that fours
# and open threes do not.
cdef int[16] WORTH = [0, 0, 1, 2, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
cdef enum:
    QUIET_LINE_WORTH = 2    # the most that a quiet move is worth by one line
# What each shape that the defender would make there is worth to the one who takes the cell away.
cdef int[16] DENIED_WORTH = [0, 0, 0, 0, 0, 1, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0]

ctypedef struct Search:
    BoardState* board
    VctTable* table
    int attacker
    int limit               # stones that may be placed
    int nodes               # stones placed
    bint thorough           # threats by any fours, not only by those that lead to each other
    int builds              # least worth of a quiet move
    bint stopped            # out of stones or memory
    bint incomplete         # something was given up on the way: a refutation is no proof that there is no VCT
    int last_threat         # of the node being expanded: what the defender has answered; NO_CELL at the root
    int unrelated_proof     # more for moves that have nothing to do with it
    Line threat             # of the node being expanded
    int16_t cells[CELLS]    # moves of the node being expanded


cdef VctTable* vct_table_create(size_t bytes) noexcept nogil:
    cdef VctTable* table = <VctTable*>calloc(1, sizeof(VctTable))
    cdef size_t slots = 64
    if table is NULL:
        return NULL
    # An eighth of everything goes to the fours.
    table.max_nodes = max(<size_t>64, (bytes - bytes // 8) // (
        sizeof(VctNode) + EDGES_PER_NODE * sizeof(VctEdge) + CELLS_PER_NODE * sizeof(int16_t) + 2 * sizeof(Slot)
    ))
    table.max_edges = EDGES_PER_NODE * table.max_nodes
    table.max_lines = CELLS_PER_NODE * table.max_nodes
    while slots < <size_t>(3 * table.max_nodes // 2):
        slots *= 2
    table.slot_mask = slots - 1
    table.nodes = <VctNode*>malloc(table.max_nodes * sizeof(VctNode))
    table.edges = <VctEdge*>malloc(table.max_edges * sizeof(VctEdge))
    table.lines = <int16_t*>malloc(table.max_lines * sizeof(int16_t))
    table.slots = <Slot*>calloc(slots, sizeof(Slot))
    table.fours = vcf_table_create(bytes // 8)
    if (table.nodes is NULL or table.edges is NULL or table.lines is NULL or table.slots is NULL
            or table.fours is NULL):
        vct_table_free(table)
        return NULL
    return table


cdef void vct_table_free(VctTable* table) noexcept nogil:
    if table is not NULL:
        free(table.nodes)
        free(table.edges)
        free(table.lines)
        free(table.slots)
        vcf_table_free(table.fours)
        free(table)


cdef void forget(VctTable* table) noexcept nogil:
    """Empties the graph. A slot is stale 2^32 questions later at the earliest, which no game reaches."""
    table.node_count = 0
    table.edge_count = 0
    table.line_count = 0
    table.generation += 1
    vcf_table_clear(table.fours)


cdef int node_here(Search* s) noexcept nogil:
    """The node of the position on the board, made if new; NO_NODE when the arena is full."""
    cdef VctTable* table = s.table
    cdef uint64_t key = s.board.key
    cdef uint64_t index = (key ^ (key >> 32)) & table.slot_mask
    cdef VctNode* node
    while table.slots[index].generation == table.generation:
        if table.nodes[table.slots[index].node].key == key:
            return table.slots[index].node
        index = (index + 1) & table.slot_mask
    if table.node_count == table.max_nodes:
        return NO_NODE
    table.slots[index].generation = table.generation
    table.slots[index].node = table.node_count
    node = &table.nodes[table.node_count]
    node.key = key
    node.proof = 1
    node.disproof = 1
    node.edges = 0
    node.edge_count = 0
    node.line_length = 0
    node.line_plies = 0
    node.distance = 0
    node.expanded = False
    table.node_count += 1
    return table.node_count - 1


cdef void settle(VctNode* node, bint proven) noexcept nogil:
    node.proof = 0 if proven else INFINITE
    node.disproof = INFINITE if proven else 0
    node.expanded = True


cdef bint keep_threat(Search* s, VctNode* node) noexcept nogil:
    cdef VctTable* table = s.table
    if table.line_count + s.threat.length > table.max_lines:
        s.stopped = True
        return False
    node.line = table.line_count
    node.line_length = s.threat.length
    node.line_plies = line_plies(s.board, s.attacker, &s.threat)
    memcpy(table.lines + table.line_count, s.threat.cells, s.threat.length * sizeof(int16_t))
    table.line_count += s.threat.length
    return True


cdef int find_fours(Search* s, int node_limit) noexcept nogil:
    """The attacker's VCF, into s.threat: by fours that lead to each other, since others are moves of the graph."""
    cdef int used, answer
    node_limit = min(<int>THOROUGH_NODES if s.thorough else node_limit, s.limit - s.nodes)
    if s.thorough:
        answer = solve_vcf(s.board, s.attacker, node_limit, s.table.fours, &s.threat, &used)
    else:
        answer = solve_direct_vcf(s.board, s.attacker, node_limit, s.table.fours, &s.threat, &used)
    s.nodes += used
    s.incomplete = s.incomplete or answer == VCF_UNKNOWN
    return answer


cdef void add_edge(Search* s, VctNode* node, int cell, int first_proof) noexcept nogil:
    cdef VctTable* table = s.table
    cdef VctEdge* edge
    if table.edge_count == table.max_edges:
        s.stopped = True
        return
    edge = &table.edges[table.edge_count]
    edge.child = NO_NODE
    edge.cell = cell
    edge.first_proof = first_proof
    table.edge_count += 1
    node.edge_count += 1


cdef void expand_attack(Search* s, VctNode* node) noexcept nogil:
    """The attacker is to move: a VCF settles it, otherwise his threats become edges."""
    cdef BoardState* b = s.board
    cdef int i, count
    if find_fours(s, WIN_NODES) == VCF_WIN:
        if keep_threat(s, node):
            settle(node, True)
        return
    node.edges = s.table.edge_count
    if b.class_count[1 - s.attacker][CLASS_FIVE]:
        count = five_stoppers(b, 1 - s.attacker, s.cells)
        for i in range(count):
            add_edge(s, node, s.cells[i], LEAST_PROOF)
    else:
        add_threats(s, node)
        add_builders(s, node)
    node.expanded = not s.stopped


cdef void add_threats(Search* s, VctNode* node) noexcept nogil:
    """Fours and open threes."""
    cdef BoardState* b = s.board
    cdef int i, count, kind, klass, cell
    for kind in range(5):
        klass = THREATS[kind]
        if b.class_count[s.attacker][klass] == 0:
            continue
        count = cells_of_class(b, s.attacker, klass, s.cells)
        for i in range(count):
            cell = s.cells[i]
            if klass == CLASS_MAYBE_FOUL and is_foul(b, cell):
                continue
            add_move(s, node, cell, FOUR_PROOF if makes_four(b, cell, s.attacker) else THREE_PROOF)


cdef void add_builders(Search* s, VctNode* node) noexcept nogil:
    """Quiet moves that may threaten a VCF all the same."""
    cdef BoardState* b = s.board
    cdef uint32_t near[2][MAX_SIZE]
    cdef uint32_t* rows = &near[0 if s.builds <= QUIET_LINE_WORTH else 1][0]
    cdef int y, i, cell, found = 0, count = 0
    find_near(b, s.attacker, near[0], near[1])
    for y in range(b.height):
        found = list_row(y, rows[y] & empty_row(b, y), s.cells, found)
    # Which of them are worth enough is hard to guess, so it is told without a branch.
    for i in range(found):
        cell = s.cells[i]
        s.cells[count] = cell
        count += (b.cells[cell].class_of[s.attacker] == QUIET) & (worth(WORTH, b, cell, s.attacker) >= s.builds)
    for i in range(count):
        add_move(s, node, s.cells[i], BUILDER_PROOF)


cdef inline int worth(const int* of_shape, const BoardState* b, int cell, int colour) noexcept nogil:
    cdef int shapes = b.cells[cell].shapes[colour]
    return of_shape[shapes & 15] + of_shape[(shapes >> 4) & 15] + of_shape[(shapes >> 8) & 15] + of_shape[shapes >> 12]


cdef inline bint share_a_row(int one, int other) noexcept nogil:
    """Is there a row of five with both cells?"""
    cdef int dx = (one & (STRIDE - 1)) - (other & (STRIDE - 1))
    cdef int dy = one // STRIDE - other // STRIDE
    return -5 < dx < 5 and -5 < dy < 5 and (dx == 0 or dy == 0 or dx == dy or dx == -dy)


cdef void add_move(Search* s, VctNode* node, int cell, int proof) noexcept nogil:
    proof -= worth(WORTH, s.board, cell, s.attacker) + worth(DENIED_WORTH, s.board, cell, 1 - s.attacker)
    if s.last_threat != NO_CELL and not share_a_row(cell, s.last_threat):
        proof += s.unrelated_proof
    add_edge(s, node, cell, max(<int>LEAST_PROOF, proof))


cdef bint defender_wins(Search* s) noexcept nogil:
    """Does the defender, to move and without a five to stop, win by fours of his own?"""
    cdef Line counter
    cdef int used, answer
    answer = solve_direct_vcf(
        s.board, 1 - s.attacker, min(<int>COUNTER_NODES, s.limit - s.nodes), NULL, &counter, &used
    )
    s.nodes += used
    return answer == VCF_WIN


cdef void expand_defence(Search* s, VctNode* node) noexcept nogil:
    """The attacker has just moved: every reply that might hold becomes an edge."""
    cdef BoardState* b = s.board
    cdef int i, count
    if b.class_count[1 - s.attacker][CLASS_FIVE]:
        settle(node, False)
        return
    if b.class_count[s.attacker][CLASS_FIVE]:
        count = five_stoppers(b, s.attacker, s.cells)
    elif find_fours(s, THREAT_NODES) == VCF_WIN and not defender_wins(s):
        if not keep_threat(s, node):
            return
        count = find_defences(b, s.attacker, &s.threat, s.cells, &s.nodes)
    else:
        settle(node, False)
        return
    node.edges = s.table.edge_count
    for i in range(count):
        add_edge(s, node, s.cells[i], REPLY_PROOF)
    node.expanded = not s.stopped


cdef struct Choice:
    VctEdge* edge           # where to go on
    uint32_t second         # the number that decides, of the next best edge
    uint32_t rest           # the number that adds up, of all other edges


cdef void choose(Search* s, VctNode* node, bint attacking, Choice* choice) noexcept nogil:
    """Brings the node's numbers up to date and finds the most promising edge."""
    cdef VctEdge* edge
    cdef VctNode* child
    cdef uint32_t deciding, adding, best = INFINITE, second = INFINITE, best_adding = 0
    cdef uint64_t total = 0
    cdef int i
    choice.edge = NULL
    for i in range(node.edge_count):
        edge = &s.table.edges[node.edges + i]
        if edge.child == NO_NODE:
            deciding = edge.first_proof if attacking else 1
            adding = 1 if attacking else edge.first_proof
        else:
            child = &s.table.nodes[edge.child]
            deciding = child.proof if attacking else child.disproof
            adding = child.disproof if attacking else child.proof
        total += adding
        if deciding < best:
            second = best
            best = deciding
            best_adding = adding
            choice.edge = edge
        elif deciding < second:
            second = deciding
    if best == 0:
        total = INFINITE
    elif total > INFINITE:
        total = INFINITE if best == INFINITE else INFINITE - 1
    choice.second = second
    choice.rest = <uint32_t>total - min(best_adding, <uint32_t>total)
    if attacking:
        node.proof = best
        node.disproof = <uint32_t>total
    else:
        node.proof = <uint32_t>total
        node.disproof = best


cdef void explore(
    Search* s, VctNode* node, bint attacking, int depth, uint32_t proof_limit, uint32_t disproof_limit, int model,
    int threat
) noexcept nogil:
    """Works below the node until its proof or disproof number reaches a limit, or the search stops.

    `model` is a proven node of the same side that resembles this one, or NO_NODE: its winning moves are tried first.
    `threat` is the attacker's last move that did not have to stop a five, NO_CELL before the first.
    """
    cdef BoardState* b = s.board
    cdef Choice choice
    cdef uint32_t deciding_limit, adding_limit
    cdef int model_move = NO_CELL, model_child = NO_NODE, next_model, next_threat
    if not node.expanded:
        if depth >= MAX_DEPTH:
            s.incomplete = True
            settle(node, False)
        elif attacking:
            s.last_threat = threat
            expand_attack(s, node)
        else:
            expand_defence(s, node)
    if attacking and model != NO_NODE:
        model_move = winning_move(s.table, model, &model_child)
        prefer(s.table, node, model_move, LEAST_PROOF)
    while not s.stopped:
        if node.proof == 0 or node.disproof == 0:
            return
        choose(s, node, attacking, &choice)
        if node.proof >= proof_limit or node.disproof >= disproof_limit or node.proof == 0 or node.disproof == 0:
            return
        if s.nodes >= s.limit:
            s.stopped = True
            return
        next_threat = threat
        if not attacking:
            s.unrelated_proof = AFTER_THREE_PROOF if node.line_length else AFTER_FOUR_PROOF
        elif not b.class_count[1 - s.attacker][CLASS_FIVE]:
            next_threat = choice.edge.cell
        place(b, choice.edge.cell, s.attacker if attacking else 1 - s.attacker)
        s.nodes += 1
        if choice.edge.child == NO_NODE:
            choice.edge.child = node_here(s)
        s.stopped = choice.edge.child == NO_NODE
        if not s.stopped:
            # Stay below this edge until it is clearly worse than the next: a quarter of slack saves returns.
            deciding_limit = min(proof_limit if attacking else disproof_limit, choice.second + choice.second // 4 + 1)
            adding_limit = (disproof_limit if attacking else proof_limit) - choice.rest
            if not attacking:
                next_model = similar_win(s.table, node, model, choice.edge.cell)
            else:
                next_model = model_child if choice.edge.cell == model_move else NO_NODE
            explore(
                s, &s.table.nodes[choice.edge.child], not attacking, depth + 1,
                deciding_limit if attacking else adding_limit, adding_limit if attacking else deciding_limit,
                next_model, next_threat,
            )
        undo(b)


cdef VctNode* begin(Search* s, int builds, bint thorough) noexcept nogil:
    """An empty graph, and its root."""
    forget(s.table)
    s.builds, s.thorough, s.incomplete = builds, thorough, False
    return &s.table.nodes[node_here(s)]


cdef int solve_vct(
    BoardState* b, int attacker, int node_limit, VctTable* table, Line* line, int* nodes
) noexcept nogil:
    cdef Search s
    cdef VctNode* root
    cdef int side = b.side
    s.board = b
    s.table = table
    s.attacker = attacker
    s.limit = node_limit
    s.nodes = 0
    s.stopped = False
    set_side(b, attacker)
    root = begin(&s, BUILDS_ENOUGH, True)
    if find_fours(&s, THOROUGH_NODES) == VCF_WIN and keep_threat(&s, root):
        settle(root, True)
    vcf_table_clear(table.fours)
    s.thorough = s.incomplete = False
    explore(&s, root, True, 0, INFINITE, INFINITE, NO_NODE, NO_CELL)
    # Quickly refuted: what quiet moves threaten may have been missed, and then some quiet moves.
    if root.disproof == 0:
        root = begin(&s, BUILDS_ENOUGH, True)
        explore(&s, root, True, 0, INFINITE, INFINITE, NO_NODE, NO_CELL)
    if root.disproof == 0:
        root = begin(&s, BUILDS_A_LITTLE, True)
        explore(&s, root, True, 0, INFINITE, INFINITE, NO_NODE, NO_CELL)
    set_side(b, side)
    nodes[0] = s.nodes
    if root.proof == 0:
        measure(table, root, True)
        principal_line(table, line)
        return VCT_WIN
    return VCT_NONE if root.disproof == 0 and not s.incomplete else VCT_UNKNOWN
