"""Runs nodes and blueprints of the library through the runtime's own executor, and keeps what they send and show."""

from __future__ import annotations

import os
import pathlib
import sys
import threading
import types
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE.parent / "library"
sys.path.insert(0, str(HERE.parents[3] / "runtime"))

from miranda.lanes.shared import Remote, taken_in  # noqa: E402
from tests.graphs import Bench  # noqa: E402

FILES = {path.stem: path for path in LIBRARY.rglob("*.py")}

#: What the node "Given" sends, by the name of its transmitter. Lanes are forks of this process, so they have it too.
given = types.ModuleType("library_given")
sys.modules["library_given"] = given
#: A remark at this level or above is a problem: no node of ours should need a value that cannot be copied.
WARNING = 30


class Host:
    """What nodes told the platform: outputs, models and metrics."""

    def __init__(self) -> None:
        self.shown: dict[int, list[dict[str, Any]]] = {}
        self.models: list[dict[str, Any]] = []
        self.metrics: list[tuple[str, float]] = []
        self.files: list[Any] = []


class LibraryBench(Bench):
    def __init__(self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> None:
        self.host = Host()
        self.problems: list[str] = []
        super().__init__(nodes, edges)

    def on_event(self, event: dict[str, Any]) -> None:
        if event["kind"] == "output":
            self.host.shown.setdefault(event["node"] or 0, []).append(event["data"])
            if "file" in event:
                self.host.files.append(types.SimpleNamespace(**event["file"]))
        elif event["kind"] == "model":
            self.host.models.append(event)
        elif event["kind"] == "metrics":
            self.host.metrics.extend((name, value) for name, _, value, _ in event["points"])
        else:
            super().on_event(event)

    def remark(self, level: int, text: str) -> None:
        if level >= WARNING:
            self.problems.append(text)

    def value(self, value: Any) -> Any:
        """What a node sent, in this process."""
        if type(value) is not Remote:
            return value
        there = threading.Event()
        found: list[Any] = []

        def then(data: Any, error: str, file: int | None) -> None:
            found[:] = [data, error, file]
            there.set()

        lane = next(iter(value.numbers))
        lane.ask(then, "export", value.numbers[lane])
        there.wait()
        data, error, file = found
        if error:
            raise Failed(f"A value {error}")
        return taken_in(data, file).open()


class Failed(Exception):
    """A run in which a node failed."""


class Result:
    def __init__(self, sent: dict[str, list[Any]], shown: list[dict[str, Any]], host: Host) -> None:
        self.sent, self.shown, self.host = sent, shown, host

    def __getitem__(self, transmitter: str) -> Any:
        (value,) = self.sent[transmitter]
        return value


def run_graph(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], storage: pathlib.Path) -> dict[int, Result]:
    """What each node sent and showed. Fails when one of them fails or does not run."""
    bench = LibraryBench([{**node, "storage": str(storage)} for node in nodes], edges)
    # Objects of a node's own classes are made here too.
    modules = os.path.join(bench.lanes.folder, ".miranda", "nodes")
    sys.path.insert(0, modules)
    try:
        is_good = bench.run()
        problems = [*bench.problems, *(text for _, _, _, text in bench.exceptions)]
        if not is_good or problems:
            raise Failed("\n".join(problems) or str(bench.statuses))
        results: dict[int, Result] = {}
        for state in bench.executor.graph.nodes.values():
            if state.runs == 0:
                raise Failed(f"{state.name} did not run.")
            sent: dict[str, list[Any]] = {}
            for name, value in state.outputs or []:
                sent.setdefault(name, []).append(bench.value(value))
            results[state.id] = Result(sent, bench.host.shown.get(state.id, []), bench.host)
        return results
    finally:
        sys.path.remove(modules)
        bench.close()


def run_node(key: str, inputs: dict[str, Any], values: dict[str, Any], storage: pathlib.Path) -> Result:
    """One node of the library, fed by a node that sends `inputs`."""
    nodes = [{"id": 1, "name": key, "source_code": FILES[key].read_text(encoding="utf-8"), "values": values}]
    edges: list[dict[str, Any]] = []
    if inputs:
        given.__dict__["values"] = inputs
        lines = ["import library_given", "from miranda import Node, Transmitter", "", "class Given(Node):"]
        lines += [f"    {name} = Transmitter()" for name in inputs]
        lines += ["    def run(self):", "        for name, value in library_given.values.items():"]
        lines += ["            getattr(self, name).send(value)"]
        nodes.append({"id": 2, "name": "Given", "source_code": "\n".join(lines), "values": {}})
        edges = [{"source": 2, "transmitter": name, "target": 1, "receiver": name} for name in inputs]
    return run_graph(nodes, edges, storage)[1]
