"""Run Node Setup: the packages of all nodes, then every node's setup()."""

from __future__ import annotations

import threading
from typing import Any

from ..execution.executor import Executor
from ..execution.graph import NodeState, connect
from ..lanes.lane import JobFailed, LaneEnded
from ..output.streams import Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session_packages import SessionPackages

#: People wait a minute for the answer; before that they get a notice that it goes on without them.
PATIENCE = 50.0


def run_setup(
    executor: Executor, command: dict[str, Any], streams: Streams, packages: SessionPackages
) -> dict[str, Any]:
    late = threading.Timer(PATIENCE, tell_late, (streams, command))
    late.daemon = True
    late.start()
    executor.begin()
    try:
        error = install(executor, command, packages) or set_up_nodes(executor)
    finally:
        executor.scheduler.active = False
        late.cancel()
    if error:
        streams.record(3, f"Node setup failed: {error}")
    else:
        streams.record(1, "Node setup is done.")
    return {"error": error}


def tell_late(streams: Streams, command: dict[str, Any]) -> None:
    streams.record(1, "Node setup goes on in the background; its progress is in this log.")
    streams.channel.event({"kind": "early", "command": "run-setup", "number": command.get("number", 0)})


def install(executor: Executor, command: dict[str, Any], packages: SessionPackages) -> str | None:
    states = [state for state in executor.graph.nodes.values() if not state.disabled]
    return None if packages.provide(states, command) is None else packages.problem


def set_up_nodes(executor: Executor) -> str | None:
    states = [state for state in executor.graph.order() if not state.disabled]
    executor.load(states)
    for state in states:
        if state.loaded is None or state.failed:
            state.failed = False
            return f"{state.name} could not be loaded."
    connect(executor.graph)
    executor.tell_values(states)
    for state in states:
        words = set_up(executor, state)
        if words:
            executor.store()
            return words
    executor.store()
    return "What it left in its storage could not be stored." if executor.failures else None


def set_up(executor: Executor, state: NodeState) -> str:
    """What went wrong; empty when it went well."""
    lane = state.lane
    assert lane is not None
    if executor.scheduler.interrupted:
        return f"{state.name} was interrupted."
    try:
        is_good, was_interrupted, last, line, seconds, flags = lane.call("setup", state.id)
    except LaneEnded:
        return f"The process of {state.name} ended."
    except JobFailed as error:
        return f"{state.name}: {error}"
    executor.events.on_flags(lane, state.id, *flags)
    if was_interrupted:
        return f"{state.name} was interrupted."
    if not is_good:
        return f"{state.name}, line {line}: {last}"
    # What it did before may depend on what setup has made.
    state.set_up = True
    if seconds > 1:
        executor.reporter.remark(0, f"{state.name} is set up.")
    return ""
