"""Lets kept results stand for runs of their nodes: in a run, or for as long as a plan is made."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from ..execution.graph import Graph, NodeState
from ..execution.keys import Key
from ..execution.plan import own_reason
from ..isolation.seen import NOTHING
from .kept import Kept

#: What adopting a result changes of a node.
CHANGED = (
    "absent",
    "all_reads",
    "failed",
    "fresh",
    "interrupted",
    "kept",
    "lost",
    "outputs",
    "ran_inputs",
    "ran_reads",
    "ran_source",
    "ran_values",
    "version",
)


def candidates(graph: Graph, mode: str, target: int | None) -> list[NodeState]:
    """The nodes that a kept result may stand for: not those that a person wants to run."""
    if mode == "all":
        return []
    if mode == "changed" or target is None or target not in graph.nodes:
        return graph.order()
    upstream = graph.reach(target, forward=False) - {target}
    return [state for state in graph.order() if state.id in upstream]


def adopt(
    graph: Graph,
    number: int,
    wanted: list[NodeState],
    keys: dict[int, Key],
    find: Callable[[NodeState], Kept | None],
    *,
    skip_unneeded: bool,
) -> list[NodeState]:
    """
    The nodes that count as run from here on. `number` is their version. With `skip_unneeded` a node whose result is not
    kept, but which only feeds nodes whose results are, counts as run too.
    """
    adopted: list[NodeState] = []
    for state in wanted:
        if state.disabled or not own_reason(graph, state):
            continue
        kept = find(state)
        if kept is not None:
            count_as_run(state, number, kept)
            adopted.append(state)
    if skip_unneeded and adopted:
        adopted += skip(graph, number, wanted, keys, adopted)
    graph.fresh = adopted
    for state in adopted:
        state.ran_inputs = {edge: graph.nodes[edge[0]].version for edge in state.inputs}
    return adopted


def count_as_run(state: NodeState, number: int, kept: Kept | None) -> None:
    state.version = number
    state.failed = state.interrupted = False
    state.ran_source, state.ran_values = state.source, state.values
    state.ran_reads = state.all_reads = NOTHING if kept is None else kept.reads
    state.outputs = []
    state.kept, state.fresh = kept, True
    state.absent, state.lost = kept is None, ""


def skip(
    graph: Graph, number: int, wanted: list[NodeState], keys: dict[int, Key], adopted: list[NodeState]
) -> list[NodeState]:
    spared = {state.id for state in adopted}
    targets: dict[int, list[int]] = {}
    for source, _, target, _ in graph.edges:
        targets.setdefault(source, []).append(target)
    found: list[NodeState] = []
    for state in reversed(wanted):
        key = keys.get(state.id)
        if state.version or state.disabled or key is None or key.key is None:
            continue
        if any(target in spared for target in targets.get(state.id, ())):
            spared.add(state.id)
            count_as_run(state, number, None)
            found.append(state)
    return found


@contextmanager
def kept_for_plan(graph: Graph) -> Generator[None]:
    """Whatever is adopted within is taken back: a plan changes nothing."""
    fresh = graph.fresh
    before: list[tuple[NodeState, tuple[Any, ...]]] = [
        (state, tuple(getattr(state, name) for name in CHANGED)) for state in graph.nodes.values()
    ]
    try:
        yield
    finally:
        graph.fresh = fresh
        for state, values in before:
            for name, value in zip(CHANGED, values, strict=True):
                setattr(state, name, value)
