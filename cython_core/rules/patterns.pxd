# Turns a line window into a shape, and four shapes into a class, through tables built once per rule.
#
# A window is the 11 cells of a line around an empty centre, seen by one colour (own / empty / other).
# The board's edge only cuts a window at its ends, so one side of it is coded by how many cells it shows
# (k = 0..5) and what stands there, nearest cell first:
#
#     side code = (3^k - 1)/2 + base-3 number of its k cells        empty 0, own 1, other 2
#     window    = left code * 364 + right code
#
#     . . X O _ [c] X _ _ | wall      left  (k=5): _ O X . .  -> 121 + 0*81 + 2*27 + 1*9 = 184
#                                     right (k=3): X _ _      ->  13 + 1*9               =  22
#
# The shape of a window is what a stone of that colour on the centre makes along this line.

from cython_core.rules.rulebook cimport *
from cython_core.rules.typedefs cimport *

cdef enum:              # shapes, weakest first; four bits each
    DEAD = 0            # no five can grow here any more
    ONE = 1             # a five is possible
    TWO = 2             # one more stone makes a THREE
    OPEN_TWO = 3        # one more stone makes an OPEN_THREE
    THREE = 4           # one more stone makes a FOUR
    OPEN_THREE = 5      # one more stone makes an OPEN_FOUR or LINE_DOUBLE_FOUR
    FOUR = 6            # threatens five; one reply on this line can stop it
    LINE_DOUBLE_FOUR = 7  # two separate fours on one line: no single reply stops both
    OPEN_FOUR = 8       # straight four: no single reply stops it
    FIVE = 9            # wins
    OVERLINE = 10       # six or more where that is a foul (renju black only)
    SHAPES = 11

cdef enum:              # classes of a cell for one colour, from its four shapes
    NOTHING = 0
    QUIET = 1           # builds something, threatens nothing
    CLASS_THREE = 2     # one open three
    CLASS_DOUBLE_THREE = 3
    CLASS_FOUR = 4      # one four, no open three beside it
    CLASS_FOUR_THREE = 5
    CLASS_DOUBLE_FOUR = 6   # fours on two lines
    CLASS_OPEN_FOUR = 7     # straight four or two fours on one line
    CLASS_FIVE = 8
    CLASS_FOUL = 9          # renju black: overline or double four, certain without looking further
    CLASS_MAYBE_FOUL = 10   # renju black: two open threes by shape; `forbidden` decides
    CLASSES = 11

ctypedef struct Tables:
    const uint8_t* shape[2]     # [colour][window] -> shape
    const uint8_t* class_of[2]  # [colour][four packed shapes] -> class

# The tables of a rule, which must be prepared.
cdef const Tables* tables_of(const RuleTraits* rule) noexcept nogil
# Builds the tables of the rule with a number; ValueError if there is none. Cheap when they exist.
cdef int prepare_tables(int rule) except -1

# place value of the cell at distance `near` on a side that shows `visible` cells
cdef int[6][6] SIDE_WEIGHT      # [visible][distance 1..visible]
cdef int[6] SIDE_BASE           # [visible] -> code of an all-empty side

# Class of four packed shapes; with `fouls` as renju black sees them.
cdef int class_of_shapes(int packed, bint fouls) noexcept nogil
