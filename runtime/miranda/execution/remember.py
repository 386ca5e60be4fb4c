"""What a run leaves behind: the nodes that ran well are as good as their code, values and inputs of now."""

from __future__ import annotations

from .graph import Graph, NodeState


def remember(graph: Graph, planned: list[NodeState], number: int) -> None:
    """What was cut short is not remembered."""
    nodes = graph.nodes
    good = [state for state in planned if state.runs > 0 and not state.failed]
    for state in good:
        # One that ran again only for what it sends is the same as before, or everything after it would run once more.
        if not state.again:
            state.version = number
        state.absent, state.lost, state.set_up = False, "", False
    for state in good:
        state.ran_source = state.source
        state.ran_values = state.values
        state.ran_packages = graph.packages
        state.ran_reads = state.reads
        state.ran_inputs = {edge: nodes[edge[0]].version for edge in state.inputs}
    for state in graph.fresh:
        # Its result belongs to what feeds it, also to what has run just now.
        if not state.planned or state.again:
            state.ran_inputs = {edge: nodes[edge[0]].version for edge in state.inputs}
