"""The script inside the executable: sets the process up, then hands over to brain."""

import os
import sys

# Must be set before numpy loads: OpenBLAS otherwise starts a thread and a buffer for each core of the
# machine, none of which the engine uses.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from brain.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
