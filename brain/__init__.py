"""Renga speaks the Piskvork protocol: everything that runs per command."""

__version__ = "0.2.0"
