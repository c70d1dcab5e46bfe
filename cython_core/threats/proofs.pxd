# Turns a solved VCT graph into a proof that anyone can replay.

from cython_core.rules.position cimport Board
from cython_core.threats.vct_graph cimport VctTable

# The proof of the win that the table has just found on this board.
cdef object read_proof(Board board, int attacker, VctTable* table)
# The proof that a VCF line is, on the board where it wins.
cdef object read_fours(Board board, int attacker, list line)
