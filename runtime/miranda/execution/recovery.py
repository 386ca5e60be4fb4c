"""What a run does about values that were lost with a lane, and about those that cannot leave theirs."""

from __future__ import annotations

from ..lanes.shared import Remote
from .graph import Graph, NodeState, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .executor import Executor


def recover(executor: Executor, planned: list[NodeState]) -> list[NodeState]:
    """The nodes that have to run once more because values were lost with a lane, sources first."""
    scheduler = executor.scheduler
    nodes = executor.graph.nodes
    with scheduler.lock:
        bereft, scheduler.bereft = dict(scheduler.bereft), {}
    failed = {state.id for state in planned if state.failed}
    behind = executor.graph.after(failed)
    wanted = {key for key in bereft if key not in behind and nodes[key].planned}
    found: dict[int, NodeState] = {}
    for state in reversed(planned):
        feeds = any(edge[0] == state.id and target.id in found for target in planned for edge in target.inputs)
        if state.failed or state.id in behind:
            continue
        if state.id in wanted or (feeds and (state.runs == 0 or is_lost(state))):
            found[state.id] = state
    # What is behind them runs after them.
    after = executor.graph.after(found)
    return [state for state in planned if state.id in after and not state.failed and state.id not in behind]


def keep_together(executor: Executor, state: NodeState, value: Remote) -> bool:
    """A value that cannot leave its lane: its reader runs there too. False when it cannot."""
    home = next((lane for lane in value.numbers if lane.is_alive), None)
    if home is None:
        return False
    if state.is_stateful and state.lane is not home:
        words = (
            f"{state.name} cannot get a value ({value.kind}): it {value.problem or 'cannot be copied'} "
            "Set share_state = True on both nodes to run them in one process.\n"
        )
        executor.fail(state, f"ValueError: {words}")
        return False
    if state.id not in executor.warned:
        executor.warned.add(state.id)
        executor.reporter.remark(
            2, f"{state.name} runs in the process of what feeds it: a value ({value.kind}) cannot be copied to another."
        )
    if state.lane is not home:
        executor.move(state, home)
    # Elsewhere it could not be fired.
    state.is_stateful = True
    return True


def is_lost(state: NodeState) -> bool:
    """Whether something that it sent was in a process that has ended."""
    return any(type(value) is Remote and not value.is_there for _, value in state.outputs or ())


def connect_again(graph: Graph, again: list[NodeState]) -> None:
    """As `connect`, but what other nodes did in this run stays as it is."""
    kept = {state.id: (state.runs, state.seconds, state.spans) for state in graph.nodes.values() if state not in again}
    connect(graph)
    for key, (runs, seconds, spans) in kept.items():
        state = graph.nodes[key]
        state.runs, state.seconds, state.spans = runs, seconds, spans
