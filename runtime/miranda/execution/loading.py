"""Has lanes load the code of nodes, and tells them what the nodes are given."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from ..lanes.lane import JobFailed, Lane, LaneEnded
from ..lanes.lanes import Lanes, cores, place_of
from ..lanes.shared import Remote, Written, value_at
from .declared import declared
from .deliveries import bring
from .graph import Graph, NodeState
from .reporting import Reporter
from .scheduler import Scheduler


class Loading:
    def __init__(self, graph: Graph, reporter: Reporter, lanes: Lanes) -> None:
        self.graph = graph
        self.reporter = reporter
        self.lanes = lanes
        self.scheduler = Scheduler(cores(), lanes, self.move)
        #: The nodes that raised something in this run.
        self.failures: dict[int, None] = {}

    def fail(self, state: NodeState, text: str, line: int = 0, function: str = "<module>") -> None:
        state.failed = True
        self.failures[state.id] = None
        self.reporter.statuses[state.id] = "error"
        self.reporter.exception(state.id, line, function, text)

    def load(self, wanted: list[NodeState]) -> None:
        """Has lanes load the code of nodes, and make their instances."""
        missing = [state for state in wanted if state.loaded is None or state.lane is None or not state.lane.is_alive]
        if not missing or self.scheduler.interrupted:
            return
        places = place_of(wanted, self.scheduler.slots)
        by_lane: dict[Lane, list[NodeState]] = {}
        for state in missing:
            lane = self.lane_at(places[state.id])
            self.define(state, lane)
            by_lane.setdefault(lane, []).append(state)
        done = threading.Semaphore(0)
        for lane, states in by_lane.items():
            lane.send("bind", self.scheduler.serial)

            def then(answer: Any, error: str, file: int | None, lane: Lane = lane) -> None:
                with self.scheduler.lock:
                    self.loaded(lane, answer or [])
                done.release()

            lane.ask(then, "load", [state.id for state in states])
        for _ in by_lane:
            done.acquire()

    def lane_at(self, place: int) -> Lane:
        """The lanes that run have places; as many are started as are needed."""
        while len(self.lanes.alive) <= place:
            self.lanes.start()
        return self.lanes.alive[place]

    def define(self, state: NodeState, lane: Lane) -> None:
        if state.lane is not None and state.lane is not lane:
            state.lane.send("forget", [state.id])
        state.lane, state.told, state.is_stateful = lane, None, False
        lane.send("define", [(state.id, state.name, state.source, state.storage)])

    def loaded(self, lane: Lane, answers: list[Any]) -> None:
        for key, description, was_interrupted in answers:
            state = self.graph.nodes.get(key)
            if state is None:
                continue
            if description is not None:
                if state.loaded is None:
                    state.loaded = declared(description, partial(constant_at, lane))
                continue
            state.lane = None
            state.failed = True
            state.interrupted = was_interrupted
            if was_interrupted:
                self.reporter.statuses[key] = "stopped"
            else:
                self.failures[key] = None
                self.reporter.statuses[key] = "error"

    def move(self, state: NodeState, lane: Lane) -> bool:
        """Makes another lane ready to fire a node. Called by the scheduler, with its lock."""
        if state.lane is lane:
            return True
        self.define(state, lane)
        lane.send("bind", self.scheduler.serial)
        self.tell_values([state])
        if state.failed:
            return False

        def then(answer: Any, error: str, file: int | None) -> None:
            with self.scheduler.lock:
                self.loaded(lane, answer or [])

        lane.ask(then, "load", [state.id])
        return True

    def tell_values(self, states: list[NodeState]) -> None:
        """What people set, and what constants of other nodes give."""
        by_lane: dict[Lane, list[Any]] = {}
        for state in states:
            lane = state.lane
            if lane is None or not lane.is_alive:
                continue
            told = (state.values, state.fixed)
            if state.told == told:
                continue
            state.told = told
            fixed = {name: fixed_for(value, lane) for name, value in state.fixed.items()}
            stuck = [name for name, reference in fixed.items() if reference is None]
            if stuck:
                state.told = None
                if not state.failed:
                    self.fail(state, f"ValueError: The constant for {stuck[0]} cannot be copied to another process.\n")
                continue
            by_lane.setdefault(lane, []).append((state.id, state.values, fixed))
        for lane, given in by_lane.items():
            lane.send("values", given)

    def load_in(self, state: NodeState, lane: Lane) -> None:
        """Has one lane load a node, wherever it was."""
        if state.lane is not lane:
            self.define(state, lane)
            state.loaded = None
        try:
            answers = lane.call("load", [state.id])
        except (LaneEnded, JobFailed):
            return
        with self.scheduler.lock:
            self.loaded(lane, answers)

    # Packages

    def activate(self, folder: str) -> str | None:
        """
        Lets every lane import from an environment. A lane that has loaded another version of a package is started anew:
        Python loads a module once. What nodes sent is kept. Words about that, if it was so.
        """
        found: list[str] = []
        for lane in self.lanes.alive:
            try:
                words = lane.call("activate", folder)
            except (LaneEnded, JobFailed):
                continue
            if words:
                self.renew(lane)
                found.append(words)
        return " ".join(dict.fromkeys(found)) or None

    def renew(self, lane: Lane) -> None:
        """Another process takes its place, with what nodes sent in this one."""
        other = self.lanes.start()
        waiting: list[threading.Event] = []
        for state in self.graph.nodes.values():
            if state.lane is lane:
                state.lane, state.told, state.is_stateful = None, None, False
            for _, value in state.outputs or ():
                if type(value) is Remote and lane in value.numbers and other not in value.numbers:
                    there = threading.Event()
                    waiting.append(there)
                    bring(value, other, lambda one, problem, there=there: there.set())
        for there in waiting:
            there.wait()
        lane.send("exit")
        lane.wait_end()


def constant_at(lane: Lane, reference: Any) -> Any:
    return Written(reference) if type(reference) is bytes else value_at(lane, reference, "")


def fixed_for(value: Any, lane: Lane) -> Any:
    """What a lane is told of a constant. None where it does not have it, and cannot get it."""
    if type(value) is Written:
        return value.data
    return value.numbers.get(lane) if type(value) is Remote else (value,)
