"""What the worker reports about the nodes of a run."""

from __future__ import annotations

import sys
from typing import Any

from ..execution.executor import Executor
from ..execution.graph import NodeState
from ..execution.spans import spans_of

ENDED = ("done", "error", "stopped")


def ended_nodes(executor: Executor, changed: dict[int, str]) -> dict[str, Any]:
    """The seconds, fires, spans and seeds of the nodes that have just ended."""
    nodes = executor.graph.nodes
    ended = [nodes[node] for node, status in changed.items() if status in ENDED and node in nodes]
    return {
        "times": {state.id: [round(state.seconds, 6), state.runs] for state in ended},
        "spans": {state.id: spans_of(state, executor.began) for state in ended if state.spans},
        "seeds": {state.id: seed for state in ended if (seed := seed_of(state)) is not None},
    }


def seed_of(state: NodeState) -> int | None:
    return state.loaded.seed if state.loaded is not None else None


def planned_message(run: int, plan: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "planned", "run": run, "nodes": plan, "python": sys.version.split()[0][:50]}
