"""One run of the graph: who is ready fires, until nobody is."""

from __future__ import annotations

import threading
from collections import deque
from time import perf_counter
from typing import Any, Protocol

from .debugger import Debugger
from .graph import MOST_OUTPUTS, Graph, NodeState, connect
from .loader import file_name, load, user_traceback
from .plan import make_plan
from .services import StorageError


class Reporter(Protocol):
    statuses: dict[int, str]
    running: int | None

    def exception(self, node: int, line: int, function: str, traceback: str) -> None: ...


class Output(Protocol):
    """What node code prints to. Gathered output must go before another node prints, or it would be taken for its own."""

    is_live: bool

    def flush(self) -> None: ...


class Stores(Protocol):
    """The buckets of nodes whose storage policy names one."""

    def open(self, state: NodeState) -> None: ...
    def node_done(self, state: NodeState) -> None: ...
    def finish(self) -> list[tuple[NodeState, StorageError]]: ...


class NoOutput:
    is_live = True

    def flush(self) -> None: ...


class RunAborted(BaseException):
    """Ends a run through node code that is in the middle of a send."""


class Executor:
    def __init__(self, graph: Graph, debugger: Debugger, reporter: Reporter, output: Output | None = None) -> None:
        self.graph = graph
        self.debugger = debugger
        self.reporter = reporter
        self.output: Output = output or NoOutput()
        #: As soon as some node has a bucket.
        self.stores: Stores | None = None
        self.ready: deque[NodeState] = deque()
        self.from_threads: deque[tuple[NodeState, str, Any]] = deque()
        self.stack: list[NodeState] = []
        self.thread = 0
        self.active = False
        self.number = 0
        #: Seconds since the node on top of the stack began that are not its own: other nodes', and those of a pause.
        self.others = 0.0
        #: The nodes that raised something in this run.
        self.failures: set[int] = set()

    @property
    def current(self) -> NodeState | None:
        try:
            return self.stack[-1]
        except IndexError:
            # Asked from another thread, a look before would not help.
            return None

    # Before a run

    def update(self, given: dict[str, Any]) -> None:
        for state in self.graph.update(given):
            if state.loaded is not None:
                self.debugger.forget(state.loaded.filename)
            state.loaded = state.instance = state.run = None

    def breakpoints(self, wanted: dict[str, list[int]]) -> None:
        for state in self.graph.nodes.values():
            self.debugger.set_breakpoints(file_name(state.id, state.name), wanted.get(str(state.id), ()))

    def plan(
        self, mode: str, target: int | None, breakpoints: dict[str, list[int]] | None = None
    ) -> list[dict[str, Any]]:
        """With the breakpoints that a run would bring along, or those that are set: they count before code is loaded too."""
        wanted = self.debugger.wanted
        if breakpoints is not None:
            return make_plan(self.graph, mode, target, lambda state: bool(breakpoints.get(str(state.id))))
        return make_plan(self.graph, mode, target, lambda state: bool(wanted.get(file_name(state.id, state.name))))

    def prepare(self, state: NodeState) -> bool:
        """Loads the node's code and makes its instance; what goes wrong is reported as the node's exception."""
        if state.instance is not None:
            return True
        self.stack.append(state)
        filename = file_name(state.id, state.name)
        try:
            self.debugger.enter(filename)
            state.loaded = load(
                state.id, state.name, state.source, on_code=lambda code: self.debugger.add_code(filename, code)
            )
            instance = state.loaded.node_class()
            instance.__dict__["_miranda_name"] = state.name
            state.instance, state.run = instance, instance.run
            return True
        except RunAborted:
            raise
        except BaseException as error:
            self.fail(state, error)
            return False
        finally:
            self.debugger.leave()
            self.stack.pop()

    # A run

    def run(self, mode: str = "changed", target: int | None = None) -> bool:
        """True when every node that ran ended well."""
        plan = self.plan(mode, target)
        ordered = [self.graph.nodes[entry["node"]] for entry in plan]
        planned = [state for state in ordered if state.planned]
        statuses = self.reporter.statuses
        self.thread = threading.get_ident()
        self.ready.clear()
        self.failures.clear()
        try:
            for state in planned:
                statuses[state.id] = "waiting"
                if not self.prepare(state):
                    return False
            # A node that is not run may still feed one that is: through a constant, for which its code is needed.
            feeding = {edge[0] for state in planned for edge in state.inputs}
            for state in ordered:
                if state.id in feeding and not state.planned and not state.disabled and not self.prepare(state):
                    return False
            if not all(self.reaches_storage(state) for state in planned):
                return False
            connect(self.graph, self.deliver)
            self.active = True
            self.start(ordered, planned)
            self.drain()
            self.run_late(planned)
            return self.store()
        except RunAborted:
            self.store()
            return False
        finally:
            self.settle(planned)
            self.active = False
            self.remember(planned)
            self.stack.clear()
            self.reporter.running = None
            if self.debugger.step is not None:
                self.debugger.step = None
                self.debugger.watch_all()

    def settle(self, planned: list[NodeState]) -> None:
        """Of what was planned, says what was cut short and what was never reached: nothing waits or runs any more."""
        for state in planned:
            if state.id in self.failures:
                continue
            if state in self.stack:
                self.reporter.statuses[state.id] = "stopped"
            elif not self.active or state.runs == 0:
                self.reporter.statuses[state.id] = "idle"

    def reaches_storage(self, state: NodeState) -> bool:
        if self.stores is None or not isinstance(state.storage, dict):
            return True
        try:
            self.stores.open(state)
            return True
        except Exception as error:
            self.fail(state, error)
            return False

    def store(self) -> bool:
        """What the nodes left in the folders of buckets. A run that could not store it has not ended well."""
        failures = self.stores.finish() if self.stores is not None else []
        for state, error in failures:
            self.fail(state, error)
        return not failures

    def remember(self, planned: list[NodeState]) -> None:
        """What ran well is as good as its code, values and inputs of now; what was cut short is not."""
        self.number += 1
        for state in self.stack:
            state.failed = True
        good = [state for state in planned if state.runs > 0 and not state.failed]
        for state in good:
            state.version = self.number
        nodes = self.graph.nodes
        for state in good:
            state.ran_source = state.source
            state.ran_values = state.values
            state.ran_inputs = {edge: nodes[edge[0]].version for edge in state.inputs}

    def start(self, ordered: list[NodeState], planned: list[NodeState]) -> None:
        for state in planned:
            state.outputs = []
            state.failed = False
        for state in ordered:
            if state.planned:
                if state.is_source and not state.optional:
                    state.queued = True
                    self.ready.append(state)
            elif state.outputs and not state.disabled:
                for transmitter, value in state.outputs:
                    self.route(state, transmitter, value)

    def drain(self) -> None:
        ready, from_threads = self.ready, self.from_threads
        while True:
            while from_threads:
                self.route(*from_threads.popleft())
            if not ready:
                return
            state = ready.popleft()
            state.queued = False
            if state in self.stack:
                # It is sending right now: it fires again when it has returned.
                continue
            self.fire(state)

    def run_late(self, planned: list[NodeState]) -> None:
        """Nodes whose connected receivers are all optional, and that nothing has reached, run once."""
        for state in planned:
            if state.is_source and state.optional and state.runs == 0:
                self.fire(state)
                self.drain()

    def fire(self, state: NodeState) -> None:
        held = state.instance.__dict__
        for name, values in state.required:
            if name in state.sticky:
                while len(values) > 1:
                    values.popleft()
                held[name] = values[0]
            else:
                held[name] = values.popleft()
                if not values:
                    state.waiting += 1
        for name, values in state.optional:
            held[name] = values.popleft() if values else None
        reporter = self.reporter
        reporter.running = state.id
        reporter.statuses[state.id] = "running"
        state.sends = 0
        output = self.output
        if not output.is_live:
            output.flush()
        self.stack.append(state)
        tracing = self.debugger.lines or self.debugger.step
        outer, self.others = self.others, 0.0
        began = perf_counter()
        try:
            if tracing:
                self.debugger.enter(state.loaded.filename)  # type: ignore[union-attr]
            state.run()  # type: ignore[misc]
            if state.bucket is not None and self.stores is not None:
                self.stores.node_done(state)
        except RunAborted:
            raise
        except BaseException as error:
            self.fail(state, error)
            raise RunAborted from None
        finally:
            elapsed = perf_counter() - began
            state.seconds += elapsed - self.others
            self.others = outer + elapsed
            if tracing:
                self.debugger.leave()
        if not output.is_live:
            output.flush()
        self.stack.pop()
        state.runs += 1
        reporter.statuses[state.id] = "done"
        if state.required or state.optional:
            self.requeue(state)

    def requeue(self, state: NodeState) -> None:
        if state.queued:
            return
        if state.required:
            again = state.waiting == 0 and any(name not in state.sticky for name, _ in state.required)
        else:
            again = any(values for _, values in state.optional)
        if again:
            state.queued = True
            self.ready.append(state)

    def deliver(self, state: NodeState, transmitter: str, value: Any) -> None:
        """A send of node code."""
        if threading.get_ident() != self.thread:
            self.from_threads.append((state, transmitter, value))
            return
        self.route(state, transmitter, value)
        state.sends += 1
        # A node that sends again before it returns is a stream: whoever waits for it runs now, or an endless one
        # would never be read and its values would pile up.
        if state.sends > 1 and self.active and len(self.stack) == 1:
            self.drain()
            self.reporter.running = state.id

    def route(self, state: NodeState, transmitter: str, value: Any) -> None:
        outputs = state.outputs
        if state.planned and outputs is not None:
            if len(outputs) < MOST_OUTPUTS:
                outputs.append((transmitter, value))
            else:
                state.outputs = None
                state.last = {**dict(outputs), transmitter: value}
        elif state.planned:
            state.last[transmitter] = value
        for target, values, is_required in state.routes.get(transmitter, ()):
            if not target.planned:
                continue
            values.append(value)
            if is_required and len(values) == 1:
                target.waiting -= 1
            if target.waiting == 0 and not target.queued:
                target.queued = True
                self.ready.append(target)

    def fail(self, state: NodeState, error: BaseException) -> None:
        state.failed = True
        self.failures.add(state.id)
        self.reporter.statuses[state.id] = "error"
        text, line, function, filename = user_traceback(error)
        self.reporter.exception(state.id, line, function, text)
