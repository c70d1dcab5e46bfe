"""Proofs of wins as nested Python tuples, read off a solved VCT graph.

Works on a copy of the board and asks the solvers only where the graph says nothing: the replies of caro that a line
of fours does not show.
"""

from collections import namedtuple

from cython_core.rules.board cimport BoardState, STEP, first_of_class, place, shape_in, undo
from cython_core.rules.patterns cimport CLASS_FIVE, FIVE
from cython_core.rules.position cimport Board
from cython_core.rules.typedefs cimport *
from cython_core.threats.defence cimport line_wins
from cython_core.threats.glance cimport may_play
from cython_core.threats.vcf cimport MAX_LINE, VCF_WIN, Line, solve_short_vcf
from cython_core.threats.vct_graph cimport NO_NODE, VctEdge, VctNode, VctTable

Proof = namedtuple("Proof", "move replies threat plies")

cdef enum:
    SIDE_LINE_NODES = 1000000   # stones for a VCF that is known to exist


cdef object read_proof(Board board, int attacker, VctTable* table):
    cdef Reader reader = Reader()
    reader.board = board.copy()
    reader.b = reader.board.state
    reader.attacker = attacker
    reader.table = table
    reader.seen = {}
    return reader.attack(0)


cdef object read_fours(Board board, int attacker, list line):
    cdef Reader reader = Reader()
    reader.board = board.copy()
    reader.b = reader.board.state
    reader.attacker = attacker
    return reader.fours(line)


cdef class Reader:
    """Walks the proven part of a graph; shared nodes become shared proofs."""
    cdef Board board
    cdef BoardState* b
    cdef int attacker
    cdef VctTable* table
    cdef dict seen

    cdef object attack(self, int index):
        """The proof from a proven node with the attacker to move, the board standing there."""
        cdef VctNode* node = &self.table.nodes[index]
        cdef VctEdge* edge
        cdef VctEdge* best = NULL
        if index in self.seen:
            return self.seen[index]
        if node.line_length:
            proof = self.fours([self.table.lines[node.line + i] for i in range(node.line_length)])
        else:
            for i in range(node.edge_count):
                edge = &self.table.edges[node.edges + i]
                if edge.child != NO_NODE and self.table.nodes[edge.child].proof == 0:
                    if best is NULL or self.distance(edge) < self.distance(best):
                        best = edge
            assert best is not NULL, "a proven node has a proven move"
            proof = self.after_move(best)
        self.seen[index] = proof
        return proof

    cdef int distance(self, VctEdge* edge):
        # Zero where nobody had to measure: such a move is no part of the shortest win.
        return self.table.nodes[edge.child].distance or MAX_LINE * MAX_LINE

    cdef object after_move(self, VctEdge* edge):
        cdef VctNode* node = &self.table.nodes[edge.child]
        cdef VctEdge* reply
        answers = {}
        place(self.b, edge.cell, self.attacker)
        for i in range(node.edge_count):
            reply = &self.table.edges[node.edges + i]
            place(self.b, reply.cell, 1 - self.attacker)
            answers[reply.cell] = self.attack(reply.child)
            undo(self.b)
        if node.line_length:
            threat = [self.table.lines[node.line + i] for i in range(node.line_length)]
            proof = Proof(edge.cell, answers, threat, 1 + node.distance)
        else:
            proof = self.four(edge.cell, answers)
        undo(self.b)
        return proof

    cdef object fours(self, list line):
        """The proof that a VCF line is."""
        if self.b.cells[<int>line[0]].class_of[self.attacker] == CLASS_FIVE:
            return Proof(line[0], {}, [], 1)
        place(self.b, line[0], self.attacker)
        answers = {}
        for reply in self.disturbers():
            place(self.b, reply, 1 - self.attacker)
            if self.b.class_count[self.attacker][CLASS_FIVE] == 0:
                answers[reply] = self.fours(self.continuation(line, reply))
            undo(self.b)
        proof = self.four(line[0], answers)
        undo(self.b)
        return proof

    cdef list continuation(self, list line, int reply):
        """How the line goes on after a reply; caro may need another line than the one shown."""
        cdef Line rest
        cdef int left = SIDE_LINE_NODES, nodes = 0, i
        rest.length = max(0, len(line) - 2)
        for i in range(rest.length):
            rest.cells[i] = line[i + 2]
        if (len(line) > 1 and reply == line[1]) or line_wins(
            self.b, self.attacker, rest.cells, rest.length, &left
        ):
            return line[2:]
        solved = solve_short_vcf(self.b, self.attacker, (len(line) - 1) // 2, SIDE_LINE_NODES, NULL, &rest, &nodes)
        assert solved == VCF_WIN, "every reply to a four of a VCF loses to a VCF no longer than the rest"
        return [rest.cells[i] for i in range(rest.length)]

    cdef object four(self, int move, dict answers):
        """The proof of a four just played: replies that spoil the first five and leave another are added."""
        for reply in self.disturbers():
            place(self.b, reply, 1 - self.attacker)
            if self.b.class_count[self.attacker][CLASS_FIVE]:
                answers[reply] = Proof(first_of_class(self.b, self.attacker, CLASS_FIVE), {}, [], 1)
            undo(self.b)
        plies = 2 + max((answer.plies for answer in answers.values()), default=1)
        return Proof(move, answers, [first_of_class(self.b, self.attacker, CLASS_FIVE)], plies)

    cdef list disturbers(self):
        """Legal replies that take away the attacker's first five."""
        cdef int five = first_of_class(self.b, self.attacker, CLASS_FIVE)
        cdef int direction, offset, cell
        found = set()
        for direction in range(DIRECTIONS):
            if shape_in(self.b, five, self.attacker, direction) != FIVE:
                continue
            for offset in range(-self.b.cells[five].behind[direction], self.b.cells[five].ahead[direction] + 1):
                cell = five + offset * STEP[direction]
                if self.b.cells[cell].stone != EMPTY or not may_play(self.b, cell, 1 - self.attacker):
                    continue
                place(self.b, cell, 1 - self.attacker)
                if self.b.cells[five].stone != EMPTY or self.b.cells[five].class_of[self.attacker] != CLASS_FIVE:
                    found.add(cell)
                undo(self.b)
        return sorted(found)
