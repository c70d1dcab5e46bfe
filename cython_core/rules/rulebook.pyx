"""The rules, each described once. A rule made of the same traits is one more line of the book.

For Python also: FREESTYLE, STANDARD, RENJU, CARO_OVERLINE and CARO of rulebook.pxd.
"""

from typing import NamedTuple


class Rule(NamedTuple):
    """What distinguishes a rule; five in a row wins under all of them, as far as the traits do not say otherwise."""

    number: int
    name: str
    overline_wins: tuple[bool, bool]
    blocked_ends: bool
    fouls: bool

    @property
    def same_for_both(self):
        """Does black win with the same lines as white, and may it play the same moves?"""
        return not self.fouls and self.overline_wins[0] == self.overline_wins[1]


RULE_BOOK = {rule.number: rule for rule in (
    #                            overline wins for
    #                            black  white    blocked ends         fouls
    Rule(FREESTYLE, "freestyle", (True, True), blocked_ends=False, fouls=False),
    Rule(STANDARD, "standard", (False, False), blocked_ends=False, fouls=False),
    Rule(RENJU, "renju", (False, True), blocked_ends=False, fouls=True),
    Rule(CARO_OVERLINE, "caro-overline", (True, True), blocked_ends=True, fouls=False),
    Rule(CARO, "caro", (False, False), blocked_ends=True, fouls=False),
)}

cdef RuleTraits[RULE_COUNT] book


cdef int fill_book() except -1:
    cdef int place
    if len(RULE_BOOK) != RULE_COUNT:
        raise AssertionError(f"RULE_COUNT is {RULE_COUNT}, and there are {len(RULE_BOOK)} rules")
    for place, rule in enumerate(RULE_BOOK.values()):
        book[place].number = rule.number
        book[place].place = place
        book[place].overline_wins[0], book[place].overline_wins[1] = rule.overline_wins
        book[place].blocked_ends = rule.blocked_ends
        book[place].fouls = rule.fouls
    return 0

fill_book()


cdef const RuleTraits* find_rule(int number) noexcept nogil:
    cdef int place
    for place in range(RULE_COUNT):
        if book[place].number == number:
            return &book[place]
    return NULL


cdef const RuleTraits* rule_at(int place) noexcept nogil:
    return &book[place]
