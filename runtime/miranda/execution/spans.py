"""When each node was ready, began and ended in a run."""

from __future__ import annotations

from .graph import NodeState

#: Of one node in one run: the first ones, and the last one. miranda_agent/protocol.py allows as many.
MOST_SPANS = 40


def spans_of(state: NodeState, began: float) -> list[list[float]]:
    """In seconds since the run began."""
    return [[max(0.0, round(moment - began, 6)) for moment in span] for span in list(state.spans)]
