"""One run of the graph: fires ready nodes until no node is ready."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from ..debugging.debugger import HAS_MONITORING, Debugger
from .graph import Graph, NodeState, connect
from .loader import file_name, load, user_traceback
from .node_call import call
from .node_threads import MAIN, Interrupted, wake_of
from .plan import make_plan
from .remember import remember
from .reporting import Keeper, NoOutput, Output, Reporter, Stores
from .scheduler import Scheduler, cores
from .spans import MOST_SPANS
from .values import UNCHANGEABLE, pack

#: Between two tries of a node, in seconds: twice as long each time.
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0


class Ended(NamedTuple):
    good: bool
    interrupted: bool
    failed: list[int]


class Executor:
    def __init__(self, graph: Graph, debugger: Debugger, reporter: Reporter, output: Output | None = None) -> None:
        self.graph = graph
        self.debugger = debugger
        self.reporter = reporter
        self.output: Output = output or NoOutput()
        self.scheduler = Scheduler(cores(), self.fire, debugger)
        self.threads = self.scheduler.threads
        debugger.is_ending = lambda: self.scheduler.interrupted
        self.threads.on_child = self.output.share
        self.threads.on_end = self.output.forget
        #: As soon as some node has a bucket.
        self.stores: Stores | None = None
        self.storing = Lock()
        #: Keeps what nodes send for later sessions, where there is a place for it.
        self.keeper: Keeper | None = None
        self.number = 0
        #: The nodes that every call runs, in a session that serves calls.
        self.always: frozenset[int] = frozenset()
        #: When the run began, by the clock of spans.
        self.began = 0.0
        #: The nodes that raised something in this run.
        self.failures: dict[int, None] = {}
        #: The warnings about values that cannot be copied: one for each node and type.
        self.warned: set[tuple[int, str]] = set()

    @property
    def active(self) -> bool:
        return self.scheduler.active

    @property
    def current(self) -> NodeState | None:
        return self.threads.current

    # Before a run

    def update(self, given: dict[str, Any]) -> None:
        for state in self.graph.update(given):
            if state.loaded is not None:
                self.debugger.forget(state.loaded.filename)
            state.secretive = False
            state.loaded = state.instance = state.run = None

    def breakpoints(self, wanted: dict[str, list[Any]]) -> None:
        for state in self.graph.nodes.values():
            self.debugger.set_breakpoints(file_name(state.id, state.name), wanted.get(str(state.id), ()))

    def plan(
        self, mode: str, target: int | None, breakpoints: dict[str, list[Any]] | None = None
    ) -> list[dict[str, Any]]:
        """
        With the breakpoints that a run would bring along, or those that are set: they count before code is loaded
        too.
        """
        wanted = self.debugger.wanted
        if breakpoints is not None:
            return make_plan(self.graph, mode, target, lambda state: bool(breakpoints.get(str(state.id))), self.always)
        return make_plan(
            self.graph, mode, target, lambda state: bool(wanted.get(file_name(state.id, state.name))), self.always
        )

    @contextmanager
    def inside(self, state: NodeState) -> Generator[None]:
        """The code of a node outside its run: what it prints and asks for is its own, and it can be interrupted."""
        with self.scheduler.lock:
            self.scheduler.enter(state)
        error = None
        try:
            yield
        except BaseException as caught:
            error = caught
        while state.is_open:
            try:
                self.scheduler.shut(state)
            except Interrupted as late:
                error = error or late
        with self.scheduler.lock:
            self.scheduler.leave(state)
        if error is not None:
            raise error

    def prepare(self, state: NodeState) -> bool:
        """Loads the node's code and makes its instance; what goes wrong is reported as the node's exception."""
        if state.instance is not None:
            return True
        filename = file_name(state.id, state.name)
        try:
            with self.inside(state):
                self.debugger.enter(filename)
                try:
                    state.loaded = load(
                        state.id, state.name, state.source, on_code=lambda code: self.debugger.add_code(filename, code)
                    )
                    instance = state.loaded.node_class()
                    instance.__dict__["_miranda_name"] = state.name
                    state.instance, state.run = instance, instance.run
                finally:
                    self.debugger.leave()
            return True
        except BaseException as error:
            self.end_badly(state, error)
            return False

    # A run

    def run(self, mode: str = "changed", target: int | None = None) -> Ended:
        plan = self.plan(mode, target)
        self.reporter.planned(plan)
        ordered = [self.graph.nodes[entry["node"]] for entry in plan]
        planned = [state for state in ordered if state.planned]
        scheduler = self.scheduler
        self.begin()
        if self.keeper is not None:
            # What depends on the fields of a call is of no use to another. Whoever fixes a failed one needs it.
            varying = self.graph.after(self.always) if mode == "call" else ()
            self.keeper.begin([state for state in planned if state.id not in varying])
        try:
            for state in planned:
                self.reporter.statuses[state.id] = "waiting"
                state.failed = state.interrupted = False
            self.load(ordered, planned)
            if mode == "warm":
                # The first call must not wait for what later ones find loaded.
                for state in ordered:
                    if not state.disabled and not scheduler.interrupted:
                        self.prepare(state)
            connect(self.graph, self.deliver)
            self.start(ordered, planned)
            scheduler.work()
            self.run_late(planned)
            self.store()
        finally:
            scheduler.active, interrupted = False, scheduler.interrupted
            self.settle(planned)
            self.number += 1
            remember(self.graph, planned, self.number)
            if self.keeper is not None:
                if mode == "call" and self.failures:
                    self.keeper.begin(planned)
                self.keeper.end()
            self.reporter.running = None
            if self.debugger.step is not None:
                self.debugger.step = None
                self.debugger.watch_all()
        return Ended(not self.failures and not interrupted, interrupted, list(self.failures))

    def begin(self) -> None:
        """From here on whatever runs can be interrupted."""
        self.failures.clear()
        scheduler = self.scheduler
        with scheduler.lock:
            scheduler.ready.clear()
            scheduler.interrupted = False
            scheduler.active = True

    def load(self, ordered: list[NodeState], planned: list[NodeState]) -> None:
        # A node that is not run may still feed one that is: through a constant, for which its code is needed.
        feeding = {edge[0] for state in planned for edge in state.inputs}
        for state in ordered:
            if self.scheduler.interrupted:
                return
            if state.planned and self.prepare(state):
                self.reaches_storage(state)
            elif state.id in feeding and not state.planned and not state.disabled:
                self.prepare(state)

    def settle(self, planned: list[NodeState]) -> None:
        """Reports planned nodes that were never reached as idle: nothing waits or runs any more."""
        for state in planned:
            if state.id not in self.failures and not state.interrupted and state.runs == 0:
                self.reporter.statuses[state.id] = "idle"

    def reaches_storage(self, state: NodeState) -> None:
        if self.stores is None or not isinstance(state.storage, dict):
            return
        try:
            self.stores.open(state)
        except Exception as error:
            self.fail(state, error)

    def store(self) -> None:
        """What the nodes left in the folders of buckets. A run that could not store it has not ended well."""
        for state, error in self.stores.finish() if self.stores is not None else ():
            self.fail(state, error)

    def start(self, ordered: list[NodeState], planned: list[NodeState]) -> None:
        scheduler = self.scheduler
        with scheduler.lock:
            for state in planned:
                state.outputs, state.kept = [], None
            for state in ordered:
                if scheduler.interrupted:
                    return
                if state.planned:
                    if state.is_source and not state.optional and not state.failed:
                        state.queued, state.ready_at = True, perf_counter()
                        scheduler.ready.append(state)
                elif state.outputs and not state.disabled:
                    for transmitter, value in state.outputs:
                        scheduler.route(state, transmitter, value)
            while scheduler.early:
                scheduler.route(*scheduler.early.popleft())
            if scheduler.ready:
                scheduler.look_out()

    def run_late(self, planned: list[NodeState]) -> None:
        """Nodes whose connected receivers are all optional, and that nothing has reached, run once."""
        for state in planned:
            if state.is_source and state.optional and state.runs == 0 and not state.failed:
                with self.scheduler.lock:
                    state.queued, state.ready_at = True, perf_counter()
                    self.scheduler.ready.append(state)
                self.scheduler.work()

    def fire(self, state: NodeState) -> None:
        reporter, output, scheduler = self.reporter, self.output, self.scheduler
        reporter.running = state.id
        reporter.statuses[state.id] = "running"
        if len(scheduler.open) > 1:
            output.share()
        else:
            if not output.is_live or output.is_shared:
                self.print_alone()
            output.alone = (state.thread, state.id)
        loaded = state.loaded
        tracing = not HAS_MONITORING and self.debugger.is_active
        error: BaseException | None = None
        state.away = 0.0
        ready = state.ready_at
        began = perf_counter()
        try:
            if tracing:
                self.debugger.enter(loaded.filename)  # type: ignore[union-attr]
            if loaded.has_limits:  # type: ignore[union-attr]
                self.call_within_limits(state)
            else:
                call(state)
            if state.bucket is not None and self.stores is not None:
                with self.storing:
                    self.stores.node_done(state)
        except BaseException as caught:
            error = caught
        if state.thread == MAIN:
            state.is_open = False
        # Here and not in a function of its own: an interrupt that is on its way arrives when a function is entered.
        while state.is_open:
            try:
                scheduler.shut(state)
            except Interrupted as late:
                error = error or late
        ended = perf_counter()
        state.seconds += ended - began - state.away
        if len(state.spans) < MOST_SPANS:
            state.spans.append((ready, began, ended))
        else:
            state.spans[-1] = (ready, began, ended)
        if tracing:
            self.debugger.leave()
        if error is not None:
            self.end_badly(state, error)
        if not output.is_live:
            output.flush()
        with scheduler.lock:
            if error is None:
                state.runs += 1
                reporter.statuses[state.id] = "done"
                if not state.queued and (state.waiting == 0 or state.optional):
                    self.requeue(state)
            else:
                for _, values in (*state.required, *state.optional):
                    values.clear()
            scheduler.leave(state)
            if scheduler.open:
                reporter.running = next(iter(scheduler.open))

    def call_within_limits(self, state: NodeState) -> None:
        assert state.loaded is not None
        retries, timeout = int(state.loaded.retries), state.loaded.timeout
        for attempt in range(retries + 1):
            state.held = [] if retries else None
            if timeout:
                state.until = monotonic() + timeout
                self.scheduler.look_out()
            try:
                call(state)
                break
            except BaseException as error:
                if state.cut == "interrupt" or attempt == retries or not isinstance(error, (Exception, Interrupted)):
                    raise
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
                words = f"{type(error).__name__}: {error}" if state.cut is None else f"longer than {timeout:g} s"
                again = f"try {attempt + 2} of {retries + 1} in {wait:g} s"
                self.reporter.remark(2, f"{state.name} failed ({words[:500]}); {again}.")
                state.until, state.cut = None, None
                wake_of(state).clear()
                self.wait(state, wait)
            finally:
                state.until = None
        sent, state.held = state.held or (), None
        for transmitter, value in sent:
            self.deliver(state, transmitter, value)

    def wait(self, state: NodeState, seconds: float) -> None:
        until = monotonic() + seconds
        while monotonic() < until:
            if state.cut is not None:
                raise Interrupted(state.cut)
            wake_of(state).wait(min(0.05, max(0.0, until - monotonic())))

    def end_badly(self, state: NodeState, error: BaseException) -> None:
        if state.cut == "interrupt" and isinstance(error, KeyboardInterrupt):
            state.failed = state.interrupted = True
            self.reporter.statuses[state.id] = "stopped"
            return
        if state.cut == "timeout" and isinstance(error, Interrupted):
            seconds = state.loaded.timeout if state.loaded else 0
            error = TimeoutError(f"{state.name} took longer than {seconds:g} seconds.").with_traceback(
                error.__traceback__
            )
        if isinstance(error, ValueError) and "read-only" in str(error):
            error.add_note(
                "An array of more than 64 MB is sent without a copy, so nobody may change it: change a copy."
            )
        self.fail(state, error)

    def requeue(self, state: NodeState) -> None:
        if state.required:
            again = state.waiting == 0 and any(name not in state.sticky for name, _ in state.required)
        else:
            again = any(values for _, values in state.optional)
        if again and not self.scheduler.interrupted:
            state.queued, state.ready_at = True, perf_counter()
            self.scheduler.ready.append(state)

    def deliver(self, state: NodeState, transmitter: str, value: Any) -> None:
        """A send of node code."""
        if type(value) not in UNCHANGEABLE:
            value = pack(value, lambda kind: self.warn_shared(state, kind))
        if state.held is not None:
            state.held.append((transmitter, value))
            return
        scheduler = self.scheduler
        with scheduler.lock:
            if not scheduler.active:
                scheduler.early.append((state, transmitter, value))
                return
            crowded = scheduler.route(state, transmitter, value)
        if crowded is not None:
            scheduler.wait_for_room(state, transmitter)

    def warn_shared(self, state: NodeState, kind: str) -> None:
        if (state.id, kind) not in self.warned:
            self.warned.add((state.id, kind))
            words = f"{state.name} sends a value that cannot be copied ({kind}): its receivers share it."
            self.reporter.remark(2, words)

    def print_alone(self) -> None:
        self.output.flush()
        if not self.threads.children:
            self.output.end_sharing()

    def fail(self, state: NodeState, error: BaseException) -> None:
        self.debugger.failed(error)
        state.failed = True
        self.failures[state.id] = None
        self.reporter.statuses[state.id] = "error"
        text, line, function, _ = user_traceback(error)
        self.reporter.exception(state.id, line, function, text, error)
