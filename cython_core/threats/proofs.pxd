# Turns a solved VCT graph into a proof that anyone can replay.

from cython_core.rules.position cimport Board
from cython_core.threats.vct cimport VctTable

# The proof of the win that the table has just found on this board.
cdef object read_proof(Board board, int attacker, VctTable* table)
