"""What a solved VCT graph says: how long the win takes, and its main line."""

from cython_core.threats.vcf cimport MAX_LINE


cdef int measure(VctTable* table, VctNode* node, bint attacking) noexcept nogil:
    cdef VctNode* child
    cdef int i, plies, best = 0
    if node.distance:
        return node.distance
    if attacking:
        best = node.line_plies
    else:
        # A reply without an edge loses to the line; to a five, where there is none.
        best = 1 + (node.line_plies if node.line_length else 1)
    for i in range(node.edge_count):
        if table.edges[node.edges + i].child == NO_NODE:
            continue
        child = &table.nodes[table.edges[node.edges + i].child]
        if child.proof:
            continue
        plies = 1 + measure(table, child, not attacking)
        if best == 0 or (plies < best if attacking else plies > best):
            best = plies
    node.distance = best
    return best


cdef void principal_line(VctTable* table, Line* line) noexcept nogil:
    cdef VctNode* child
    cdef VctNode* best
    cdef VctNode* node = &table.nodes[0]
    cdef bint attacking = True
    cdef int i
    line.length = 0
    while line.length < MAX_LINE:
        best = NULL
        for i in range(node.edges, node.edges + node.edge_count):
            if table.edges[i].child == NO_NODE:
                continue
            child = &table.nodes[table.edges[i].child]
            if child.proof == 0 and (best is NULL or (
                child.distance < best.distance if attacking else child.distance > best.distance
            )):
                best = child
                line.cells[line.length] = table.edges[i].cell
        if best is NULL:
            break
        line.length += 1
        node = best
        attacking = not attacking
    if attacking:
        for i in range(min(<int>node.line_length, MAX_LINE - line.length)):
            line.cells[line.length] = table.lines[node.line + i]
            line.length += 1
