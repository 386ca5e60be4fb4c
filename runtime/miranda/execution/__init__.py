"""Runs a graph: plans it, loads its nodes, fires them and moves values between them."""
