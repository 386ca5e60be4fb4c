"""Measures a session from outside it, and enforces its limits."""
