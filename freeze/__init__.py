"""Turns the source tree into standalone executables; `build_exe.py` is the door.

Reading order: plan (what is asked for), needs (tools that must be there), stage (a private copy of the sources,
compiled), pins/, fetch and chain (the Windows tools), bundle and renga.spec (what is frozen), closure (which DLLs a
bundle needs), parcel (the tournament zip), talk, trial and people (what every product must pass).
"""
