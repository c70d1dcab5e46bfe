"""Conformance tests for any brain that speaks the Piskvork protocol: `python -m protocol_tests --brain CMD`.

A brain is only a command line here: nothing of ours is imported. Transcripts, coded checks and three emulated
managers together cover the numbered list of conformance items; deadlines are multiplied by `--slack`.
"""
