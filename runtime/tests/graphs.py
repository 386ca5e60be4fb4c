"""Small graphs for tests, run without an agent."""

from __future__ import annotations

import queue
import sys
import textwrap
import types
import unittest
from collections.abc import Callable
from typing import Any

from miranda.debugging.debugger import Debugger
from miranda.execution.executor import Executor
from miranda.execution.graph import Graph


def node(key: int, body: str, **more: Any) -> dict[str, Any]:
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    source = f"from miranda import *\n\nclass N{key}(Node):\n{body}\n"
    return {"id": key, "name": f"N{key}", "source_code": source, **more}


def edge(source: int, transmitter: str, target: int, receiver: str) -> dict[str, Any]:
    return {"source": source, "transmitter": transmitter, "target": target, "receiver": receiver}


class Bench:
    """A graph, what it reported, and where values went."""

    def __init__(self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None) -> None:
        self.statuses: dict[int, str] = {}
        self.running: int | None = None
        self.exceptions: list[tuple[int, int, str, str]] = []
        self.remarks: list[str] = []
        self.plans: list[list[dict[str, Any]]] = []
        self.stops: list[tuple[str, int, str]] = []
        self.frames: list[Callable[[types.FrameType], str]] = []
        self.debugger = Debugger(self.on_stop)
        self.executor = Executor(Graph(), self.debugger, self)
        self.given = {"nodes": nodes, "edges": edges or []}
        self.executor.update(self.given)

    def exception(self, key: int, line: int, function: str, traceback: str, error: BaseException | None = None) -> None:
        self.exceptions.append((key, line, function, traceback))

    def planned(self, plan: list[dict[str, Any]]) -> None:
        self.plans.append(plan)

    def remark(self, level: int, text: str) -> None:
        self.remarks.append(text)

    def on_stop(self, reason: str, line: int, frame: types.FrameType, commands: queue.SimpleQueue[Any]) -> str:
        self.stops.append((reason, line, frame.f_code.co_name))
        return self.frames.pop(0)(frame) if self.frames else "continue"

    def run(self, mode: str = "changed", target: int | None = None) -> bool:
        self.executor.update(self.given)
        return self.executor.run(mode, target).good

    def plan(
        self, mode: str = "changed", target: int | None = None, breakpoints: dict[str, list[int]] | None = None
    ) -> dict[int, tuple[bool, str]]:
        self.executor.update(self.given)
        entries = self.executor.plan(mode, target, breakpoints)
        return {entry["node"]: (entry["run"], entry["reason"]) for entry in entries}

    def instance(self, key: int) -> Any:
        return self.executor.graph.nodes[key].instance


class DebuggerCase(unittest.TestCase):
    """Python has a few places for debuggers, and every bench with a breakpoint takes one."""

    def tearDown(self) -> None:
        if hasattr(sys, "monitoring"):
            for tool in range(6):
                if sys.monitoring.get_tool(tool) == "miranda":
                    sys.monitoring.set_events(tool, 0)
                    sys.monitoring.free_tool_id(tool)
