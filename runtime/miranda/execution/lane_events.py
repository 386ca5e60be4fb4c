"""What lanes say of the nodes that they run, and what their end means for a run."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import Any

from ..isolation.seen import both, checked
from ..lanes.lane import Lane
from ..lanes.shared import value_at
from ..lanes.wire import Message
from .graph import NodeState
from .lane_deaths import death_words, memory_kills, was_killed_for_memory
from .recovery import is_lost
from .spans import MOST_SPANS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .executor import Executor


class LaneEvents:
    """Methods named `on_…` take one part of a batch each. The scheduler's lock is held."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.graph = executor.graph
        self.scheduler = executor.scheduler
        self.reporter = executor.reporter
        self.storing = threading.Lock()
        names = ("kept", "sent", "asks", "flags", "reads", "ended", "failed", "skipped", "back", "idle", "bars", "step")
        self.takers = {name: getattr(self, f"on_{name}") for name in names}
        self.memory_kills = memory_kills()

    def on_message(self, lane: Lane, message: Message) -> None:
        if message[0] != "batch":
            return
        scheduler, takers = self.scheduler, self.takers
        with scheduler.lock:
            for part in message[1]:
                takers[part[0]](lane, *part[1:])
            scheduler.look_for_room()
            scheduler.pump()

    def on_kept(self, lane: Lane, key: int, transmitter: str, reference: Any, kind: str) -> None:
        """A value that went on within its lane."""
        state = self.graph.nodes.get(key)
        if state is not None:
            self.scheduler.record(state, transmitter, value_at(lane, reference, kind))

    def on_step(
        self,
        lane: Lane,
        key: int,
        moved: tuple[str, Any, str],
        since: float,
        began: float,
        ended: float,
    ) -> None:
        """A node of a chain that sent one value to the next and has ended: most of what long chains say."""
        state = self.graph.nodes.get(key)
        if state is None:
            return
        transmitter, reference, kind = moved
        self.scheduler.record(state, transmitter, value_at(lane, reference, kind))
        self.end_firing(lane, state, since, began, ended, 0.0)

    def on_sent(self, lane: Lane, key: int, transmitter: str, reference: Any, kind: str) -> None:
        state = self.graph.nodes.get(key)
        if state is None:
            return
        value = value_at(lane, reference, kind)
        if not self.scheduler.active:
            self.scheduler.early.append((state, transmitter, value))
        else:
            self.scheduler.route(state, transmitter, value)

    def on_asks(self, lane: Lane, key: int, transmitter: str) -> None:
        state = self.graph.nodes.get(key)
        if state is not None:
            self.scheduler.ask_room(state, transmitter, lane)

    def on_flags(
        self, lane: Lane, key: int, is_stateful: bool, secretive: bool, evaluated: bool, has_threads: bool
    ) -> None:
        state = self.graph.nodes.get(key)
        if state is not None:
            state.is_stateful, state.has_threads = is_stateful, has_threads
            state.secretive = state.secretive or secretive
            state.evaluated = state.evaluated or evaluated

    def on_reads(
        self,
        lane: Lane,
        key: int,
        environment: dict[str, str],
        files: dict[str, list[Any]],
        incomplete: str,
        written: list[str],
    ) -> None:
        """What a run has read besides its inputs. It may go on in another lane."""
        state = self.graph.nodes.get(key)
        if state is not None:
            state.reads = both(state.reads, checked(environment, files, incomplete, written))
            self.graph.writers.update(dict.fromkeys(state.reads.written, key))

    def on_ended(self, lane: Lane, key: int, since: float, began: float, ended: float, away: float) -> None:
        state = self.graph.nodes.get(key)
        if state is not None:
            self.end_firing(lane, state, since, began, ended, away)

    def end_firing(self, lane: Lane, state: NodeState, since: float, began: float, ended: float, away: float) -> None:
        key = state.id
        self.note_span(state, since, began, ended, away)
        if state.bucket is not None and self.executor.stores is not None:
            # Its lane may go on. The node has not ended before its files are stored.
            self.scheduler.leave(state, lane)
            self.scheduler.open[key] = state
            threading.Thread(target=self.store_beside, args=(state,), daemon=True).start()
            return
        state.runs += 1
        self.reporter.statuses[key] = "done"
        self.scheduler.leave(state, lane)
        self.after_firing(state)

    def after_firing(self, state: NodeState) -> None:
        scheduler = self.scheduler
        if state.id not in scheduler.open and not state.failed:
            if state.required:
                again = state.waiting == 0 and any(name not in state.sticky for name, _ in state.required)
            else:
                again = any(values for _, values in state.optional)
            if again:
                scheduler.make_ready(state)

    def store_beside(self, state: NodeState) -> None:
        """Uploads what a node left in its bucket's folder, before what follows it."""
        text = ""
        try:
            with self.storing:
                assert self.executor.stores is not None
                self.executor.stores.node_done(state)
        except Exception as error:
            text = f"{type(error).__module__}.{type(error).__name__}: {error}\n"
        with self.scheduler.lock:
            if text:
                self.executor.fail(state, text)
            else:
                state.runs += 1
                self.reporter.statuses[state.id] = "done"
            self.scheduler.open.pop(state.id, None)
            self.after_firing(state)
            self.scheduler.pump()
            self.scheduler.changed.notify_all()

    def note_span(self, state: NodeState, since: float, began: float, ended: float, away: float) -> None:
        state.seconds += max(0.0, ended - began - away)
        if len(state.spans) < MOST_SPANS:
            state.spans.append((since, began, ended))
        else:
            state.spans[-1] = (since, began, ended)

    def on_failed(
        self, lane: Lane, key: int, since: float, began: float, ended: float, away: float, was_interrupted: bool
    ) -> None:
        state = self.graph.nodes.get(key)
        if state is None:
            return
        self.note_span(state, since, began, ended, away)
        self.end_badly(state, was_interrupted=was_interrupted)
        self.scheduler.leave(state, lane)

    def end_badly(self, state: NodeState, *, was_interrupted: bool) -> None:
        state.failed = True
        state.interrupted = was_interrupted
        if was_interrupted:
            self.reporter.statuses[state.id] = "stopped"
        else:
            self.executor.failures[state.id] = None
            self.reporter.statuses[state.id] = "error"
        for _, values in (*state.required, *state.optional):
            values.clear()

    def on_skipped(self, lane: Lane, key: int) -> None:
        """Its code could not be loaded there."""
        state = self.graph.nodes.get(key)
        if state is not None:
            self.scheduler.leave(state, lane)

    def on_back(self, lane: Lane, given: list[tuple[int, list[tuple[list[tuple[str, Any]], float]]]]) -> None:
        """What a lane would come to only later."""
        scheduler = self.scheduler
        for key, firings in given:
            state = self.graph.nodes.get(key)
            if state is None:
                continue
            lane.reserved.discard(key)
            left = lane.open.get(key, 0) - len(firings)
            if left > 0:
                lane.open[key] = left
            else:
                lane.open.pop(key, None)
                scheduler.open.pop(key, None)
            values = [[(name, value_at(lane, one, "")) for name, one in each] for each, _ in firings]
            scheduler.give_back(state, values)
            self.free_chain(lane, state)

    def free_chain(self, lane: Lane, state: NodeState) -> None:
        """What would have followed in the lane follows wherever the node runs now."""
        while state.follower is not None and state.follower[0].id in lane.reserved:
            state = state.follower[0]
            lane.reserved.discard(state.id)
            self.scheduler.open.pop(state.id, None)

    def on_idle(self, lane: Lane) -> None:
        self.scheduler.end_task(lane)

    def on_bars(self, lane: Lane, text: str) -> None:
        self.reporter.show_bars({int(key): bars for key, bars in json.loads(text).items()})

    def on_stopped(self, lane: Lane, is_stopped: bool) -> None:
        with self.scheduler.lock:
            self.scheduler.stopped = is_stopped
            self.scheduler.changed.notify_all()
            if not is_stopped:
                self.scheduler.pump()

    # Lanes that end

    def on_end(self, lane: Lane, status: int, node: int, report: str) -> None:
        scheduler = self.scheduler
        if was_killed_for_memory(status, self.memory_kills) and not lane.was_forced:
            # The session is over its limit: it ends, and the agent says so.
            os.kill(os.getpid(), signal.SIGKILL)
        with scheduler.lock:
            given = [self.graph.nodes[key] for key in (*lane.open, *lane.reserved) if key in self.graph.nodes]
            running = self.graph.nodes.get(node)
            lane.open.clear()
            lane.reserved.clear()
            lane.tasks, lane.blocked = 0, None
            for state in given:
                scheduler.open.pop(state.id, None)
                scheduler.bereft[state.id] = state
            scheduler.is_alone = False
            for state in self.graph.nodes.values():
                if state.lane is lane:
                    state.lane, state.is_stateful, state.has_threads = None, False, False
            if running is not None and lane.was_forced:
                self.end_badly(running, was_interrupted=True)
                self.reporter.remark(2, f"{running.name} was force-stopped: its process was ended.")
            elif running is not None:
                self.end_badly(running, was_interrupted=False)
                words, line, function = death_words(running, status, report)
                self.reporter.exception(running.id, line, function, words)
            if running is not None:
                scheduler.bereft.pop(running.id, None)
            for state in self.graph.nodes.values():
                if not state.planned and is_lost(state):
                    state.absent, state.lost = True, "What it sent was lost when a process of the session ended."
            scheduler.look_for_room()
            scheduler.pump()
            scheduler.changed.notify_all()
