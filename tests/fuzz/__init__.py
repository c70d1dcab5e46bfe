"""Fuzzers: `python -m tests.fuzz readers` (coverage-guided, every reader) and `python -m tests.fuzz talk` (the real
program, a model of the position as oracle)."""
