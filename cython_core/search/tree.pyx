"""Pools of nodes and edges allocated once, found by position key, recycled when full.

Proofs: an edge is proven when its child is; a node is won when one edge is, and lost or drawn when all edges
are proven and the node is `complete`. Distances come with them (see PROOF_WIN).
"""

from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy, memmove, memset

cdef enum:
    SIZE_CLASSES = 11           # 4, 8, ... 4096 edges
    EDGES_PER_NODE = 24         # how the memory is shared out: measured average of a middle game, rounded up


cdef bint tree_create(Tree* tree, int64_t bytes) noexcept nogil:
    cdef int64_t per_node = sizeof(Node) + EDGES_PER_NODE * sizeof(Edge) + 8 + 2 * 8
    cdef int64_t nodes = bytes // per_node
    cdef uint64_t buckets = 1024
    memset(tree, 0, sizeof(Tree))
    nodes = max(1024, min(nodes, 50000000))
    while buckets < <uint64_t>nodes * 3 // 2:
        buckets *= 2
    tree.node_room = <int32_t>nodes
    tree.edge_room = <int32_t>(nodes * EDGES_PER_NODE)
    tree.bucket_mask = buckets - 1
    tree.nodes = <Node*>malloc(nodes * sizeof(Node))
    tree.edges = <Edge*>malloc(tree.edge_room * sizeof(Edge))
    # Zeros from the system cost nothing before they are used: a tree of gigabytes is there at once.
    tree.buckets = <int32_t*>calloc(buckets, sizeof(int32_t))
    tree.scratch = <uint64_t*>malloc(nodes * sizeof(uint64_t))
    if tree.nodes is NULL or tree.edges is NULL or tree.buckets is NULL or tree.scratch is NULL:
        tree_free(tree)
        return False
    tree_clear(tree)
    return True


cdef void tree_free(Tree* tree) noexcept nogil:
    free(tree.nodes)
    free(tree.edges)
    free(tree.buckets)
    free(tree.scratch)
    memset(tree, 0, sizeof(Tree))


cdef void tree_clear(Tree* tree) noexcept nogil:
    cdef int size_class
    if tree.node_top:
        memset(tree.buckets, 0, (tree.bucket_mask + 1) * sizeof(int32_t))
    tree.node_count = tree.node_top = tree.edge_count = tree.edge_top = 0
    tree.free_node = NO_NODE
    tree.root = NO_NODE
    for size_class in range(SIZE_CLASSES):
        tree.free_block[size_class] = NO_NODE


cdef int32_t find(const Tree* tree, uint64_t key) noexcept nogil:
    cdef uint64_t bucket = key & tree.bucket_mask
    while tree.buckets[bucket]:
        if tree.nodes[~tree.buckets[bucket]].key == key:
            return ~tree.buckets[bucket]
        bucket = (bucket + 1) & tree.bucket_mask
    return NO_NODE


cdef void enter(Tree* tree, int32_t number) noexcept nogil:
    cdef uint64_t bucket = tree.nodes[number].key & tree.bucket_mask
    while tree.buckets[bucket]:
        bucket = (bucket + 1) & tree.bucket_mask
    tree.buckets[bucket] = ~number


cdef int32_t find_or_make(Tree* tree, uint64_t key) noexcept nogil:
    cdef int32_t number = find(tree, key)
    cdef Node* node
    if number != NO_NODE:
        return number
    if tree.free_node != NO_NODE:
        number = tree.free_node
        tree.free_node = tree.nodes[number].edges
    elif tree.node_top < tree.node_room:
        number = tree.node_top
        tree.node_top += 1
    else:
        return NO_NODE
    tree.node_count += 1
    node = &tree.nodes[number]
    memset(node, 0, sizeof(Node))
    node.key = key
    node.edges = NO_NODE
    node.proof_move = NO_CELL
    enter(tree, number)
    return number


cdef int class_for(int count) noexcept nogil:
    cdef int size_class = 0
    while (4 << size_class) < count:
        size_class += 1
    return size_class


cdef int32_t take_block(Tree* tree, int size_class) noexcept nogil:
    """First edge of a free block; splits a larger one when the pool has no other. NO_NODE when full."""
    cdef int32_t first = tree.free_block[size_class]
    cdef int larger
    if first != NO_NODE:
        tree.free_block[size_class] = tree.edges[first].child
    elif tree.edge_top + (4 << size_class) <= tree.edge_room:
        first = tree.edge_top
        tree.edge_top += 4 << size_class
    else:
        larger = size_class + 1
        while larger < SIZE_CLASSES and tree.free_block[larger] == NO_NODE:
            larger += 1
        if larger == SIZE_CLASSES:
            return NO_NODE
        first = tree.free_block[larger]
        tree.free_block[larger] = tree.edges[first].child
        while larger > size_class:
            larger -= 1
            give_block(tree, first + (4 << larger), larger)
            tree.edge_count += 4 << larger      # give_block counted a return that was no loan
    tree.edge_count += 4 << size_class
    return first


cdef void give_block(Tree* tree, int32_t first, int size_class) noexcept nogil:
    tree.edges[first].child = tree.free_block[size_class]
    tree.free_block[size_class] = first
    tree.edge_count -= 4 << size_class


cdef bint reserve_edges(Tree* tree, Node* node, int count) noexcept nogil:
    cdef int size_class
    cdef int32_t first
    if count <= node.edge_room:
        return True
    size_class = class_for(count)
    first = take_block(tree, size_class)
    if first == NO_NODE:
        return False
    if node.edge_room:
        memcpy(tree.edges + first, tree.edges + node.edges, node.edge_count * sizeof(Edge))
        give_block(tree, node.edges, class_for(node.edge_room))
    node.edges = first
    node.edge_room = 4 << size_class
    return True


cdef void add_result(Node* node, double value, double draw) noexcept nogil:
    node.visits += 1
    node.value_sum += value
    node.square_sum += <float>(value * value)
    node.draw_sum += <float>draw


cdef void add_edge_result(Tree* tree, Edge* edge, double value) noexcept nogil:
    cdef Node* child = &tree.nodes[edge.child]
    edge.visits += 1
    if child.proof != PROOF_UNKNOWN:
        edge.proof = proof_for_parent(child.proof)
        edge.value = <float>proof_value(edge.proof)
    elif child.visits >= edge.visits:
        edge.value = <float>(1.0 - mean_value(child))       # includes what other move orders have learnt
    else:
        edge.value += <float>((value - edge.value) / edge.visits)   # the child was recycled since


cdef bint prove_from_edges(Tree* tree, Node* node) noexcept nogil:
    cdef Edge* edge = edges_of(tree, node)
    cdef int i, best = -PROOF_WIN - 1
    cdef bint all_proven = True
    if node.state != EXPANDED or node.edge_count == 0:
        return node.proof != PROOF_UNKNOWN
    for i in range(node.edge_count):
        if edge[i].proof == PROOF_UNKNOWN:
            all_proven = False
        elif edge[i].proof > best:
            best = edge[i].proof
            if best > PROOF_DRAW and best > node.proof:
                node.proof_move = edge[i].cell
    if best > PROOF_DRAW:
        node.proof = max(node.proof, best)
    elif all_proven and node.complete:
        # Where all is lost, a move that was not worth an edge may last longer than those that were.
        node.proof = max(best, <int>node.complete - PROOF_WIN)
    return node.proof != PROOF_UNKNOWN


cdef uint32_t keep_threshold(Tree* tree) noexcept nogil:
    """Fewest visits a marked node must have so that at most half of each pool stays in use."""
    cdef int64_t nodes[33]
    cdef int64_t edges[33]
    cdef int64_t kept_nodes = 0, kept_edges = 0
    cdef int32_t number
    cdef int bits
    cdef uint32_t visits
    memset(nodes, 0, sizeof(nodes))
    memset(edges, 0, sizeof(edges))
    for number in range(tree.node_top):
        if not tree.nodes[number].mark:
            continue
        bits = 0
        visits = tree.nodes[number].visits
        while visits:
            bits += 1
            visits >>= 1
        nodes[bits] += 1
        edges[bits] += tree.nodes[number].edge_room
    bits = 31
    while bits > 0:
        kept_nodes += nodes[bits]
        kept_edges += edges[bits]
        if kept_nodes > tree.node_room // 2 or kept_edges > tree.edge_room // 2:
            break
        bits -= 1
    return <uint32_t>1 << bits


cdef void mark_reachable(Tree* tree, uint32_t fewest) noexcept nogil:
    """Marks the nodes to keep, and no others: reached from the root through nodes with enough visits."""
    cdef int32_t depth = 0, number, child
    cdef Node* node
    cdef Edge* edge
    cdef int i
    for number in range(tree.node_top):
        tree.nodes[number].mark = 0
    if tree.root != NO_NODE:
        tree.nodes[tree.root].mark = 1
        tree.scratch[0] = tree.root
        depth = 1
    while depth:
        depth -= 1
        node = &tree.nodes[tree.scratch[depth]]
        edge = edges_of(tree, node)
        for i in range(node.edge_count):
            child = edge[i].child
            if child == NO_NODE or tree.nodes[child].mark:
                continue
            # Proven ones too: the next moves of a won game are found in them.
            if tree.nodes[child].visits >= fewest:
                tree.nodes[child].mark = 1
                tree.scratch[depth] = child
                depth += 1


cdef int by_value(const void* a, const void* b) noexcept nogil:
    cdef uint64_t left = (<const uint64_t*>a)[0], right = (<const uint64_t*>b)[0]
    return 1 if left > right else -1 if left < right else 0


cdef void close_gaps(Tree* tree) noexcept nogil:
    """Moves the edges of the marked nodes to the front of the pool, so that what is free is one piece.

    Free blocks alone would not do: a node that needs a large block cannot use many small ones.
    """
    cdef int32_t number, first
    cdef int64_t blocks = 0, i
    cdef Node* node
    cdef int size_class
    for number in range(tree.node_top):
        node = &tree.nodes[number]
        if node.mark and node.edge_room:
            tree.scratch[blocks] = (<uint64_t>node.edges << 32) | <uint64_t>number
            blocks += 1
    qsort(tree.scratch, blocks, sizeof(uint64_t), by_value)
    tree.edge_top = 0
    for i in range(blocks):
        node = &tree.nodes[tree.scratch[i] & <uint64_t>0xFFFFFFFF]
        first = tree.edge_top
        if first != node.edges:
            memmove(tree.edges + first, tree.edges + node.edges, node.edge_count * sizeof(Edge))
            node.edges = first
        tree.edge_top += node.edge_room
    tree.edge_count = tree.edge_top
    for size_class in range(SIZE_CLASSES):
        tree.free_block[size_class] = NO_NODE


cdef void recycle(Tree* tree) noexcept nogil:
    cdef int32_t number
    cdef int i
    cdef Node* node
    cdef Edge* edge
    mark_reachable(tree, 0)
    mark_reachable(tree, keep_threshold(tree))
    memset(tree.buckets, 0, (tree.bucket_mask + 1) * sizeof(int32_t))
    tree.free_node = NO_NODE
    tree.node_count = 0
    tree.recycled += 1
    close_gaps(tree)
    for number in range(tree.node_top):
        node = &tree.nodes[number]
        if not node.mark:
            node.edge_room = node.edge_count = 0
            node.edges = tree.free_node
            tree.free_node = number
            continue
        edge = edges_of(tree, node)
        for i in range(node.edge_count):
            if edge[i].child != NO_NODE and not tree.nodes[edge[i].child].mark:
                edge[i].child = NO_NODE
        tree.node_count += 1
        enter(tree, number)
