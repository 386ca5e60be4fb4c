"""Small graphs for tests, run in lanes as a worker runs them, without an agent."""

from __future__ import annotations

import atexit
import json
import os
import pickle
import queue
import signal
import sys
import tempfile
import textwrap
import types
import unittest
from collections.abc import Callable
from typing import Any

from miranda.debugging.debugger import Debugger
from miranda.execution.executor import Executor
from miranda.execution.graph import Graph
from miranda.execution.node_threads import SIGNAL
from miranda.execution.sample import sample_of
from miranda.isolation.imports import ImportWatch
from miranda.isolation.process_state import ProcessState
from miranda.isolation.reads import Reads
from miranda.lanes.lane_jobs import LaneJobs
from miranda.lanes.lane_node import LaneNode
from miranda.lanes.lane_reports import LaneReports
from miranda.lanes.lanes import Lanes
from miranda.lanes.node_runs import NodeRuns
from miranda.lanes.stop_token import StopToken
from miranda.node import Outlet
from miranda.output.streams import EVENT, RECORD, STDOUT, Channel


def node(key: int, body: str, **more: Any) -> dict[str, Any]:
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    source = f"from miranda import *\n\nclass N{key}(Node):\n{body}\n"
    return {"id": key, "name": f"N{key}", "source_code": source, **more}


def edge(source: int, transmitter: str, target: int, receiver: str) -> dict[str, Any]:
    return {"source": source, "transmitter": transmitter, "target": target, "receiver": receiver}


def do_inspect(jobs: LaneJobs, key: int) -> bytes:
    """The attributes of an instance. Lanes are forks of the test, so they have this too."""
    found: dict[str, Any] = {}
    for name, value in jobs.lane.nodes[key].instance.__dict__.items():
        if not isinstance(value, Outlet):
            try:
                found[name] = pickle.loads(pickle.dumps(value))
            except Exception:
                found[name] = repr(value)
    own = type(jobs.lane.nodes[key].instance)
    plain = (int, str, float, tuple, list, dict, type(None), bool)
    for name, value in vars(own).items():
        if name not in found and not name.startswith("_") and isinstance(value, plain):
            found[name] = value
    return pickle.dumps(found)


LaneJobs.do_inspect = do_inspect  # type: ignore[attr-defined]


class Heard(Channel):
    """What the worker would send to the agent."""

    def __init__(self, on_event: Callable[[dict[str, Any]], None], on_record: Callable[[str], None]) -> None:
        super().__init__(-1)
        self.on_event = on_event
        self.on_record = on_record
        #: By node.
        self.printed: dict[int, bytes] = {}
        self.errors = b""

    def frame(self, kind: int, body: bytes) -> None:
        if kind == EVENT:
            self.on_event(json.loads(body))
        elif kind == RECORD:
            self.on_record(body[1:].decode())

    def text(self, kind: int, body: bytes, node: int | None = None) -> None:
        if kind == RECORD:
            self.on_record(body[1:].decode())
        elif kind == STDOUT:
            self.printed[node or 0] = self.printed.get(node or 0, b"") + body
        else:
            self.errors += body


class Bench:
    """A graph, what it reported, and where values went."""

    def __init__(
        self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None, slots: int | None = None
    ) -> None:
        self.statuses: dict[int, str] = {}
        self.exceptions: list[tuple[int, int, str, str]] = []
        self.remarks: list[str] = []
        self.plans: list[list[dict[str, Any]]] = []
        self.events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        #: What nodes showed.
        self.outputs: list[dict[str, Any]] = []
        # A lane is a fork of this process, and a worker has loaded no node.
        for name in [one for one in sys.modules if one.startswith("miranda_node_")]:
            del sys.modules[name]
        self.channel = Heard(self.on_event, self.on_record)
        self.lanes = Lanes(self.channel, tempfile.mkdtemp(prefix="miranda-bench-"))
        atexit.register(self.lanes.close)
        self.executor = Executor(Graph(), self, self.lanes)
        self.executor.graph.environment = self.lanes.base.environment
        if slots is not None:
            self.executor.scheduler.slots = slots
        self.given = {"nodes": nodes, "edges": edges or []}
        self.executor.update(self.given)

    def on_event(self, event: dict[str, Any]) -> None:
        if event["kind"] == "exception":
            self.exception(event["node"], event["line"], event["function"], event["traceback"])
        elif event["kind"] == "output":
            self.outputs.append(event)
        else:
            self.events.put(event)

    def on_record(self, text: str) -> None:
        if not text.startswith("Traceback"):
            self.remarks.append(text)

    def exception(self, key: int, line: int, function: str, traceback: str) -> None:
        self.exceptions.append((key, line, function, traceback))

    def planned(self, plan: list[dict[str, Any]]) -> None:
        self.plans.append(plan)

    def remark(self, level: int, text: str) -> None:
        self.remarks.append(text)

    def show_bars(self, bars: dict[int, Any]) -> None: ...

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
        """What the node's instance holds now."""
        lane = self.executor.graph.nodes[key].lane
        assert lane is not None, "no lane has it"
        return types.SimpleNamespace(**pickle.loads(lane.call("inspect", key)))

    def sample(self, key: int, transmitter: str) -> dict[str, Any]:
        sample_of(self.executor.graph, self.channel, {"node": key, "transmitter": transmitter, "number": 1})
        return self.events.get(timeout=20)

    def sent(self, key: int, transmitter: str = "out") -> Any:
        return self.sample(key, transmitter)["value"]

    @property
    def shown(self) -> list[str]:
        return [event["data"]["text/plain"] for event in self.outputs]

    @property
    def printed(self) -> str:
        return b"".join(self.channel.printed.values()).decode()

    def close(self) -> None:
        self.lanes.close()


class Quiet:
    """Streams and a channel that nobody reads."""

    is_live = True
    is_shared = False
    alone = (0, 0)

    def __init__(self, remarks: list[str]) -> None:
        self.late: set[int] = set()
        self.remarks = remarks
        self.events: list[dict[str, Any]] = []

    def record(self, level: int, text: str) -> None:
        self.remarks.append(text)

    def event(self, event: dict[str, Any]) -> None:
        self.events.append(event)

    def control(self, message: Any, file: int | None = None) -> None: ...
    def flush(self) -> None: ...
    def flush_all(self) -> None: ...
    def share(self) -> None: ...
    def end_sharing(self) -> None: ...
    def forget(self, thread: int) -> None: ...


class LaneBench:
    """Nodes that a lane fires, in the process of the test: for what is inside them while they run."""

    def __init__(self, nodes: list[dict[str, Any]], debugger: Debugger | None = None) -> None:
        self.stops: list[tuple[str, int, str]] = []
        self.frames: list[Callable[[types.FrameType], str]] = []
        self.remarks: list[str] = []
        self.quiet = quiet = Quiet(self.remarks)
        self.debugger = debugger or Debugger(self.on_stop, token=StopToken())
        notes = os.memfd_create("notes")
        os.ftruncate(notes, 1 << 16)
        self.reports = LaneReports(quiet, quiet, notes, {})  # type: ignore[arg-type]
        self.runs = NodeRuns(self.debugger, self.reports)
        self.runs.nodes = self.reports.nodes
        # One process has one: each of them asks the one before.
        sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, ImportWatch)]
        self.runs.state = ProcessState()
        self.runs.reads = Reads(dict(os.environ))
        for one in nodes:
            self.runs.define(one["id"], one["name"], one["source_code"], one.get("storage"))

    def on_stop(self, reason: str, line: int, frame: types.FrameType, commands: queue.SimpleQueue[Any]) -> str:
        self.stops.append((reason, line, frame.f_code.co_name))
        return self.frames.pop(0)(frame) if self.frames else "continue"

    def breakpoints(self, wanted: dict[str, list[Any]]) -> None:
        for key, one in self.runs.nodes.items():
            self.debugger.set_breakpoints(f"<{one.name} {key}>", wanted.get(str(key), ()))

    def node(self, key: int) -> LaneNode:
        return self.runs.nodes[key]

    def instance(self, key: int) -> Any:
        return self.runs.nodes[key].instance

    def run(self, *keys: int) -> bool:
        """Whether nothing went wrong."""
        wanted = [self.runs.nodes[key] for key in keys or self.runs.nodes]
        self.quiet.events.clear()
        if not all(self.runs.prepare(one) for one in wanted):
            return False
        for one in wanted:
            one.queued += 1
        self.runs.work([(one, [], 0.0) for one in wanted])
        return not any(event["kind"] == "exception" for event in self.quiet.events)


class SignalCase(unittest.TestCase):
    """A lane makes its main thread leave node code by a signal."""

    def interruptible(self, bench: LaneBench) -> LaneBench:
        self.addCleanup(bench.runs.threads.install())
        before = signal.signal(SIGNAL, lambda _number, frame: bench.runs.threads.on_signal(frame))
        self.addCleanup(signal.signal, SIGNAL, before)
        return bench


class DebuggerCase(unittest.TestCase):
    """Python has a few places for debuggers, and every bench with a breakpoint takes one."""

    def tearDown(self) -> None:
        if hasattr(sys, "monitoring"):
            for tool in range(6):
                if sys.monitoring.get_tool(tool) == "miranda":
                    sys.monitoring.set_events(tool, 0)
                    sys.monitoring.free_tool_id(tool)


__all__ = ["Bench", "DebuggerCase", "LaneBench", "SignalCase", "edge", "node"]
