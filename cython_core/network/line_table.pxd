# The line part of a network, tabulated.

# int16 [WINDOW_ROWS, channels]: the line features of every window for one side to move, in steps of `line.scales` or
# of `steps`, a buffer like it.
# `tensors`: of the network's file, name -> flat buffer of floats. ValueError: they have no such part.
cpdef object line_table(dict tensors, int rule, int side, object steps=*)
