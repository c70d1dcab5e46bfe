# The core's random numbers.

from libc.stdint cimport uint64_t

ctypedef struct Rng:        # splitmix64: any seed is a good seed, equal seeds give equal games
    uint64_t state

# A well-mixed number from any other: one step of splitmix64.
cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    value += <uint64_t>0x9E3779B97F4A7C15
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)

cdef inline uint64_t next_random(Rng* rng) noexcept nogil:
    cdef uint64_t value = mixed(rng.state)
    rng.state += <uint64_t>0x9E3779B97F4A7C15
    return value

# Uniform in [0, 1).
cdef inline float next_uniform(Rng* rng) noexcept nogil:
    return <float>(next_random(rng) >> 40) * <float>(1.0 / (1 << 24))
