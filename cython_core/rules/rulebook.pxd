# What a rule is: one description per rule, from which tables, threats, search and network encoding follow.
#
# Nobody else asks for a rule by its number: whoever needs to know something of it asks for the trait.

from libc.stdint cimport uint8_t

cpdef enum:             # the numbers managers use
    FREESTYLE = 0
    STANDARD = 1
    RENJU = 4
    CARO_OVERLINE = 8
    CARO = 9

cdef enum:
    RULE_COUNT = 5

ctypedef struct RuleTraits:
    uint8_t number
    uint8_t place               # in the book, from 0
    uint8_t overline_wins[2]    # [colour]: six or more in a row win; otherwise a five must be exact
    uint8_t blocked_ends        # a five with an opposing stone at both ends does not win
    uint8_t fouls               # black may not make an overline, two fours or two open threes

# The rule with this number; NULL if there is none.
cdef const RuleTraits* find_rule(int number) noexcept nogil
# The rule at a place of the book, 0 .. RULE_COUNT - 1.
cdef const RuleTraits* rule_at(int place) noexcept nogil

# Is the line of a five the same to both colours?
cdef inline bint same_for_both(const RuleTraits* rule) noexcept nogil:
    return not rule.fouls and rule.overline_wins[0] == rule.overline_wins[1]
