"""Cuts notebooks and scripts into nodes. It reads only the syntax tree of their code, and never runs the code."""
