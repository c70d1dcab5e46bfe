"""The script inside `renga`, the program for people: its commands, and the board if it is started without any."""

import os
import sys

# PyInstaller's own path of libraries is not for those we start, least of all for the browser.
if (before := os.environ.pop("LD_LIBRARY_PATH_ORIG", None)) is not None:
    os.environ["LD_LIBRARY_PATH"] = before
else:
    os.environ.pop("LD_LIBRARY_PATH", None)
# As in launch.py: before numpy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from renga.__main__ import main

if __name__ == "__main__":
    code = main(sys.argv[1:] or ["board"])
    if code and len(sys.argv) == 1 and sys.stdin is not None and sys.stdin.isatty():
        # The window of a double click would close before anybody has read what went wrong.
        input("Press Enter to close this window.")
    sys.exit(code)
