"""One run of the graph: plans it, has lanes load its nodes, and fires ready nodes until no node is ready."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, NamedTuple

from ..lanes.lanes import Lanes
from .graph import Graph, NodeState, connect
from .lane_events import LaneEvents
from .loading import Loading
from .plan import make_plan
from .recovery import connect_again, keep_together, recover
from .remember import remember
from .reporting import Keeper, Reporter, Stores


class Ended(NamedTuple):
    good: bool
    interrupted: bool
    failed: list[int]


class Executor(Loading):
    def __init__(self, graph: Graph, reporter: Reporter, lanes: Lanes) -> None:
        super().__init__(graph, reporter, lanes)
        self.scheduler.on_stuck = partial(keep_together, self)
        self.scheduler.on_fire = self.note_running
        self.events = lanes.conductor = LaneEvents(self)
        #: As soon as some node has a bucket.
        self.stores: Stores | None = None
        #: Keeps what nodes send for later sessions, where there is a place for it.
        self.keeper: Keeper | None = None
        self.number = 0
        #: The nodes that every call runs, in a session that serves calls.
        self.always: frozenset[int] = frozenset()
        #: When the run began, by the clock of spans.
        self.began = 0.0
        #: The warnings about values that cannot leave their lane: one for each node.
        self.warned: set[int] = set()
        #: Breakpoints by node, as people set them.
        self.breakpoints: dict[int, list[Any]] = {}

    @property
    def active(self) -> bool:
        return self.scheduler.active

    # Before a run

    def update(self, given: dict[str, Any]) -> None:
        changed = self.graph.update(given)
        if changed:
            keys = [state.id for state in changed]
            self.lanes.send("forget", keys)
            for state in changed:
                state.secretive = state.is_stateful = False
                state.loaded = state.lane = state.told = None

    def set_breakpoints(self, wanted: dict[str, list[Any]], *, is_only: bool = True) -> None:
        if is_only:
            self.breakpoints.clear()
        for key, points in wanted.items():
            if key.isdigit():
                self.breakpoints[int(key)] = points
        self.lanes.send("breakpoints", json.dumps(self.breakpoints))

    def forget_conditions(self) -> None:
        """
        Conditions and log messages of breakpoints are code of the people who set them, and must not run with another
        person's secrets: only those that come with the command itself stay.
        """
        plain = {key: [one for one in points if isinstance(one, int)] for key, points in self.breakpoints.items()}
        if plain != self.breakpoints:
            self.breakpoints = plain
            self.lanes.send("breakpoints", json.dumps(plain))

    def plan(
        self, mode: str, target: int | None, breakpoints: dict[str, list[Any]] | None = None
    ) -> list[dict[str, Any]]:
        """
        With the breakpoints that a run would bring along, or those that are set: they count before code is loaded
        too.
        """
        if breakpoints is not None:
            return make_plan(self.graph, mode, target, lambda state: bool(breakpoints.get(str(state.id))), self.always)
        wanted = self.breakpoints
        return make_plan(self.graph, mode, target, lambda state: bool(wanted.get(state.id)), self.always)

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
            self.load_for(ordered, planned, is_all=mode == "warm")
            self.work(ordered, planned)
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
        return Ended(not self.failures and not interrupted, interrupted, list(self.failures))

    def work(self, ordered: list[NodeState], planned: list[NodeState]) -> None:
        """Fires until nothing is ready. Where a lane took values with it, what made them runs once more."""
        connect(self.graph)
        self.tell_values(ordered)
        with self.scheduler.lock:
            for state in planned:
                state.outputs, state.kept = [], None
        self.start(ordered)
        self.scheduler.work()
        self.run_late(planned)
        while self.scheduler.bereft and not self.scheduler.interrupted:
            again = recover(self, planned)
            if not again:
                break
            names = ", ".join(state.name for state in again[:5])
            self.reporter.remark(2, f"What these nodes sent was lost with a process. They run again: {names}.")
            for state in ordered:
                state.planned = state in again
            self.load_for(ordered, again)
            connect_again(self.graph, again)
            self.tell_values(ordered)
            with self.scheduler.lock:
                for state in again:
                    state.outputs, state.kept = [], None
            self.start(ordered)
            self.scheduler.work()
            self.run_late(again)
            for state in planned:
                state.planned = True

    def begin(self) -> None:
        """From here on whatever runs can be interrupted."""
        self.failures.clear()
        scheduler = self.scheduler
        with scheduler.lock:
            scheduler.ready.clear()
            scheduler.bereft.clear()
            scheduler.interrupted = False
            scheduler.active = True
            scheduler.serial += 1
        self.lanes.send("bind", scheduler.serial)

    # Loading

    def load_for(self, ordered: list[NodeState], planned: list[NodeState], *, is_all: bool = False) -> None:
        # A node that is not run may still feed one that is: through a constant, for which its code is needed.
        feeding = {edge[0] for state in planned for edge in state.inputs}
        wanted = [
            state for state in ordered if state.planned or (not state.disabled and (is_all or state.id in feeding))
        ]
        self.load(wanted)
        for state in planned:
            if state.loaded is not None and not state.failed:
                self.reaches_storage(state)

    # Beginning and ending

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
            self.fail(state, f"{type(error).__module__}.{type(error).__name__}: {error}\n")

    def store(self) -> None:
        """What the nodes left in the folders of buckets. A run that could not store it has not ended well."""
        for state, error in self.stores.finish() if self.stores is not None else ():
            self.fail(state, f"{type(error).__module__}.{type(error).__name__}: {error}\n")

    def start(self, ordered: list[NodeState]) -> None:
        scheduler = self.scheduler
        with scheduler.lock:
            for state in ordered:
                if scheduler.interrupted:
                    return
                if state.planned:
                    if state.is_source and not state.optional and not state.failed:
                        scheduler.make_ready(state)
                elif state.outputs and not state.disabled:
                    self.replay(state)
            while scheduler.early:
                scheduler.route(*scheduler.early.popleft())

    def replay(self, state: NodeState) -> None:
        for transmitter, value in state.outputs or ():
            self.scheduler.route(state, transmitter, value)

    def run_late(self, planned: list[NodeState]) -> None:
        """Nodes whose connected receivers are all optional, and that nothing has reached, run once."""
        for state in planned:
            if state.is_source and state.optional and state.runs == 0 and not state.failed:
                with self.scheduler.lock:
                    self.scheduler.make_ready(state)
                self.scheduler.work()

    def note_running(self, state: NodeState) -> None:
        self.reporter.statuses[state.id] = "running"
