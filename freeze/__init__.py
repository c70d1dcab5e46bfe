"""Turns the source tree into standalone executables; `build_exe.py` is the door.

Reading order: plan (what is asked for), stage (a private copy of the sources, compiled), pins/ and chain (the
Windows tools), renga.spec (what PyInstaller bundles), closure (which DLLs a bundle needs), parcel (the
tournament zip), trial (what every product must pass).
"""
