"""Breakpoints, steps and pauses, and what can be asked while node code is stopped."""
