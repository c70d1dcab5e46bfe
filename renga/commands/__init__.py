"""The commands of `renga`, one module each: `add_arguments` declares its options, `run` returns the exit code.

0: done. 1: done, and the answer is no (no win found, a check failed). 2: the command line, a file or a position makes
no sense; one line on stderr says why. 130: interrupted. 141: nobody reads on, as behind `| head`.
"""
