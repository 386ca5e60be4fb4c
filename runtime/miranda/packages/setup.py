"""Run Node Setup: the packages of all nodes, then every node's setup()."""

from __future__ import annotations

import threading
import time
from typing import Any

from ..execution.executor import Executor
from ..execution.graph import connect
from ..execution.loader import user_traceback
from ..execution.node_call import wait_for_coroutine
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
    for state in states:
        if not executor.prepare(state):
            return f"{state.name} could not be loaded."
    connect(executor.graph, executor.deliver)
    for state in states:
        executor.reporter.running = state.id
        started = time.monotonic()
        try:
            with executor.inside(state):
                result = state.instance.setup()
                if result is not None:
                    wait_for_coroutine(result)
        except BaseException as error:
            executor.end_badly(state, error)
            if state.interrupted:
                return f"{state.name} was interrupted."
            text, line, _, _ = user_traceback(error)
            last = text.strip().splitlines()[-1] if text.strip() else type(error).__name__
            executor.store()
            return f"{state.name}, line {line}: {last}"
        finally:
            executor.reporter.running = None
        if time.monotonic() - started > 1:
            print(f"{state.name} is set up.")
    executor.store()
    return "What it left in its storage could not be stored." if executor.failures else None
