"""Which nodes a run will run, and why: in words, for every node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..attributes import Constant
from ..isolation.seen import changed_since
from .graph import Graph, NodeState

#: `call` and `warm` are for sessions that serve calls: all that every call needs, and all that no call changes.
MODES = ("changed", "all", "one", "to", "from", "call", "warm")


def make_plan(
    graph: Graph,
    mode: str = "changed",
    target: int | None = None,
    has_breakpoint: Callable[[NodeState], bool] = lambda state: False,
    always: frozenset[int] = frozenset(),
) -> list[dict[str, Any]]:
    """One entry per node: {"node", "run", "reason", "result"}. `planned` is set on the nodes that will run."""
    if mode not in MODES:
        raise ValueError(f"There is no way to run called {mode!r}.")
    if mode in ("one", "to", "from") and target not in graph.nodes:
        raise ValueError("That node is not in this workflow.")
    upstream: set[int] = graph.reach(target, forward=False) if target is not None else set()
    forced: set[int] = {target} if target is not None and mode in ("one", "from") else set()
    if mode == "call":
        forced = set(always)
    held = graph.after(always) if mode == "warm" else set[int]()
    entries: list[dict[str, Any]] = []
    ordered = graph.order()
    running: dict[int, str] = {}
    left = [state for state in ordered if not state.disabled and state.id not in held]
    if mode == "all":
        reasons = dict.fromkeys(graph.nodes, "Everything runs.")
    else:
        reasons = {state.id: reason_of(graph, state, mode, target, upstream, forced, has_breakpoint) for state in left}
    # A node that is fed by a running node runs too; a cycle needs another round.
    settled = False
    while not settled:
        for state in left:
            reason = reasons[state.id] or fed_by(graph, state, running, mode, target, upstream)
            if reason:
                running[state.id] = reason
                state.again = False
        before, left = len(left), [state for state in left if state.id not in running]
        settled = not left or len(left) == before
        if settled and len(running) < len(ordered) and run_absent(graph, ordered, running):
            settled, left = False, [state for state in left if state.id not in running]
    for state in ordered:
        state.planned = state.id in running
        if state.planned:
            entries.append({"node": state.id, "run": True, "reason": running[state.id], "result": None})
            continue
        result = state.kept.key if state.fresh and state.kept is not None else None
        entries.append({"node": state.id, "run": False, "reason": why_not(graph, state, mode), "result": result})
    return entries


def run_absent(graph: Graph, ordered: list[NodeState], running: dict[int, str]) -> bool:
    """Adds the nodes whose values are needed by nodes that run, and are not here. Whether there were any."""
    absent = {state.id for state in ordered if state.absent and state.id not in running and not state.disabled}
    if not absent:
        return False
    found = len(running)
    for state in reversed(ordered):
        if state.id not in running:
            continue
        for edge in state.inputs:
            source = graph.nodes[edge[0]]
            if source.id in absent and source.id not in running and not sends_constant(source, edge[1]):
                running[source.id] = source.lost or f"{state.name} needs what it sends."
                source.again = True
    return len(running) > found


def reason_of(
    graph: Graph,
    state: NodeState,
    mode: str,
    target: int | None,
    upstream: set[int],
    forced: set[int],
    has_breakpoint: Callable[[NodeState], bool],
) -> str:
    if state.id in forced:
        return "Every call runs it." if mode == "call" else "You asked for it."
    own = own_reason(graph, state) or ("It has a breakpoint." if has_breakpoint(state) else "")
    if mode in ("changed", "call", "warm"):
        return own
    if state.id not in upstream:
        return ""
    if mode == "to":
        return own or ("You asked for it." if state.id == target else "")
    # What the node needs and never got has to be made first; what was made before is sent again.
    return "It has not run yet." if state.version == 0 or state.outputs is None else ""


def sends_constant(state: NodeState, name: str) -> bool:
    """Then its code is enough: it need not run."""
    if state.loaded is not None:
        return isinstance(state.loaded.attributes.get(name), Constant)
    from ..declare import declare

    attributes = declare(state.source)["attributes"]
    return any(one["name"] == name and one["direction"] == "TRANSMITTER_FIELD" for one in attributes)


def own_reason(graph: Graph, state: NodeState) -> str:
    if state.interrupted:
        return "It was interrupted."
    if state.failed:
        return "Its last run failed."
    if state.version == 0:
        return state.lost or "It has not run yet."
    if state.source != state.ran_source:
        return "Its code changed."
    if state.set_up:
        return "Its setup has run since."
    if state.ran_packages is not graph.packages and "import" in state.source:
        # One that is new changes nothing that this node had.
        other = [name for name, version in state.ran_packages.items() if graph.packages.get(name) != version]
        if other:
            return f"{other[0]} has another version."
    if other := changed_since(state.ran_reads, graph.environment):
        return other
    if state.loaded is not None and not state.loaded.cache:
        return "It is never skipped (cache = False)."
    if state.outputs is None:
        return "It sent too much to be sent again."
    before, now = state.ran_values or {}, state.values
    changed = sorted(
        name for name in {*before, *now} if before.get(name) != now.get(name) or (name in before) != (name in now)
    )
    if changed:
        return f"{', '.join(changed)} changed."
    inputs = state.ran_inputs or {}
    if set(inputs) != set(state.inputs):
        return "Its connections changed."
    for edge, version in inputs.items():
        source = graph.nodes[edge[0]]
        if source.version != version:
            return f"{source.name} has run since."
        if source.loaded is not None and not is_same_constant(source, edge[1]):
            return f"{source.name} changed."
    return ""


def is_same_constant(source: NodeState, name: str) -> bool:
    before = source.ran_values or {}
    return source.version == 0 or before.get(name) == source.values.get(name)


def fed_by(
    graph: Graph, state: NodeState, running: dict[int, str], mode: str, target: int | None, upstream: set[int]
) -> str:
    if mode == "one" or (mode == "to" and state.id not in upstream):
        return ""
    if mode == "from" and state.id in upstream and state.id != target:
        return ""
    if state.fresh:
        # Its result belongs to what feeds it, whether that runs or not.
        return ""
    for source in graph.sources_of(state):
        if source.id in running and source.id != state.id and not source.again:
            return f"{source.name} runs before it."
    return ""


def why_not(graph: Graph, state: NodeState, mode: str) -> str:
    if state.disabled:
        return "It is disabled."
    disabled = [source.name for source in graph.sources_of(state) if source.disabled]
    if state.version == 0 and disabled:
        return f"It waits for {disabled[0]}, which is disabled."
    if state.fresh:
        return state.kept.words if state.kept is not None else "What it feeds is kept."
    if state.unkept and mode == "changed":
        return f"Nothing changed. It is not kept for later sessions: {state.unkept}"
    if mode == "warm" and state.version == 0:
        return "Calls run it."
    return "Nothing changed." if mode in ("changed", "call", "warm") else "It is not part of this run."
