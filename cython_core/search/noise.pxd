# Dirichlet noise on priors, for self-play that must not repeat itself.

from cython_core.rules.rng cimport Rng
from cython_core.search.tree cimport Node, Tree

cdef enum:
    CONCENTRATION = 10      # of the whole distribution: each of n moves gets CONCENTRATION / n

# Mixes noise into the priors of an expanded node: prior = (1 - share) * prior + share * noise.
cdef void mix_noise(Tree* tree, Node* node, float share, Rng* rng) noexcept nogil
