"""Runs nodes and blueprints of the library through the runtime's own executor, and keeps what they send and show."""

from __future__ import annotations

import pathlib
import sys
import types
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE.parent / "library"
sys.path.insert(0, str(HERE.parents[3] / "runtime"))

from miranda.debugging.debugger import Debugger  # noqa: E402
from miranda.execution.executor import Executor  # noqa: E402
from miranda.execution.graph import Graph  # noqa: E402
from miranda.execution.values import seen  # noqa: E402
from miranda.services import set_host  # noqa: E402

FILES = {path.stem: path for path in LIBRARY.rglob("*.py")}

#: What the node "Given" sends, by the name of its transmitter.
given = types.ModuleType("library_given")
sys.modules["library_given"] = given


class Host:
    """Stands for the platform: keeps outputs, models and metrics; its storage is a folder."""

    def __init__(self, storage: pathlib.Path) -> None:
        self.folder = storage
        self.executor: Executor | None = None
        self.shown: dict[int, list[dict[str, Any]]] = {}
        self.models: list[dict[str, Any]] = []
        self.metrics: list[tuple[str, float]] = []
        self.files: list[Any] = []

    def show(self, bundle: dict[str, Any], metadata: dict[str, Any], id: str | None = None, file: Any = None) -> None:
        current = self.executor.current if self.executor else None
        self.shown.setdefault(current.id if current else 0, []).append(bundle)
        if file is not None:
            self.files.append(file)

    def progress(self, done: float, total: float | None, label: str) -> None: ...

    def log_metric(self, name: str, value: float, step: float | None) -> None:
        self.metrics.append((name, value))

    def log_model(self, model: dict[str, Any]) -> None:
        self.models.append(model)

    def storage(self) -> pathlib.Path:
        return self.folder


class Reports:
    def __init__(self) -> None:
        self.statuses: dict[int, str] = {}
        self.running: int | None = None
        self.problems: list[str] = []

    def exception(self, key: int, line: int, function: str, traceback: str, error: Any = None) -> None:
        self.problems.append(traceback)

    def planned(self, plan: list[dict[str, Any]]) -> None: ...

    def remark(self, level: int, text: str) -> None:
        # A value that cannot be copied is shared, and the log says so: no node of ours should need that.
        if level >= 30:
            self.problems.append(text)


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
    host, reports = Host(storage), Reports()
    executor = Executor(Graph(), Debugger(lambda *_: "continue"), reports)
    host.executor = executor
    set_host(host)
    executor.update({"nodes": nodes, "edges": edges})
    ended = executor.run()
    if not ended.good or reports.problems:
        raise Failed("\n".join(reports.problems) or str(reports.statuses))
    results: dict[int, Result] = {}
    for state in executor.graph.nodes.values():
        if state.runs == 0:
            raise Failed(f"{state.name} did not run.")
        sent: dict[str, list[Any]] = {}
        for name, value in state.outputs or []:
            sent.setdefault(name, []).append(seen(value))
        results[state.id] = Result(sent, host.shown.get(state.id, []), host)
    return results


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
