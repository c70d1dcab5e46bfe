"""Renga speaks the Piskvork protocol: everything that runs per command."""
