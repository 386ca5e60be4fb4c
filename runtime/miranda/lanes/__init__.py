"""The processes in which node code runs, and how the worker talks to them."""
