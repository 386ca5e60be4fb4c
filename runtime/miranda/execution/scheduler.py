"""
Decides which node fires when, and in which thread.

The main thread fires one node after the other. Other threads help when something has been ready for a moment, as many
as the session has cores: waking one for each node of a chain would take longer than most nodes do. One lock guards
everything here.
"""

from __future__ import annotations

import os
import threading
from _thread import get_ident
from collections import deque
from collections.abc import Callable
from time import monotonic, perf_counter
from typing import Any

from ..debugging.debugger import Debugger
from .graph import MOST_OUTPUTS, NodeState
from .node_threads import NodeThreads, interruption, real_sleep

#: How many values may wait at a receiver before its sender waits too.
MOST_WAITING = 16
#: Nodes that wait for their readers have a thread each. Beyond that many, values pile up instead.
MOST_BLOCKED = 32
#: How long something is ready before another thread helps.
MOMENT = 0.002
#: After so many moments with nothing ready, the watcher sleeps until something is.
QUIET = 25
#: A thread that a node started has no place of its own to give up, so it waits a little only.
PATIENCE_OF_CHILDREN = 1.0


class Scheduler:
    def __init__(self, slots: int, fire: Callable[[NodeState], None], debugger: Debugger) -> None:
        self.slots = max(1, slots)
        self.fire = fire
        self.debugger = debugger
        self.threads = NodeThreads()
        self.threads.only = self.only_open
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.ready: deque[NodeState] = deque()
        #: What threads sent while nothing ran.
        self.early: deque[tuple[NodeState, str, Any]] = deque()
        #: Every node whose code runs, and how many of them are not waiting for their readers.
        self.open: dict[int, NodeState] = {}
        self.busy = 0
        self.active = False
        self.interrupted = False
        self.helpers = 0
        #: Threads that have nothing to do.
        self.idle = 0
        self.is_alone = False
        self.watcher: threading.Thread | None = None
        self.alarm = threading.Event()
        self.is_watching = False

    def only_open(self) -> NodeState | None:
        nodes = list(self.open.values())
        return nodes[0] if len(nodes) == 1 else None

    # The loop of each thread

    def work(self) -> None:
        """Fires ready nodes until nothing is ready and nothing runs."""
        while True:
            with self.lock:
                state = self.take()
                while state is None and (self.open or (self.ready and not self.interrupted)):
                    state = self.wait_for_work()
            if state is None:
                return
            self.fire(state)

    def help(self) -> None:
        """In a thread that lives as long as the session."""
        while True:
            with self.lock:
                state = self.take()
                while state is None:
                    state = self.wait_for_work()
            self.fire(state)

    def wait_for_work(self) -> NodeState | None:
        self.idle += 1
        self.changed.wait()
        self.idle -= 1
        return self.take()

    def take(self) -> NodeState | None:
        """A node that may fire now, with the values it fires with. The lock is held."""
        ready = self.ready
        while ready and self.busy < self.slots and not self.is_alone:
            if self.debugger.stopped or self.interrupted:
                # A pause starts nothing new.
                return None
            state = ready[0]
            is_free = state.id not in self.open and not state.failed
            if is_free and not state.loaded.parallel:  # type: ignore[union-attr]
                if self.busy:
                    return None
                self.is_alone = True
            ready.popleft()
            state.queued = False
            # A node that runs already fires again when it has returned.
            if is_free:
                self.begin(state)
                return state
        return None

    def begin(self, state: NodeState) -> None:
        given = state.given = []
        for name, values in state.required:
            if name in state.sticky:
                while len(values) > 1:
                    values.popleft()
                given.append((name, values[0]))
            else:
                given.append((name, values.popleft()))
                if not values:
                    state.waiting += 1
        for name, values in state.optional:
            given.append((name, values.popleft() if values else None))
        self.enter(state)

    def enter(self, state: NodeState) -> None:
        self.open[state.id] = state
        self.busy += 1
        state.thread = thread = get_ident()
        self.threads.nodes[thread] = state
        state.cut = None
        state.is_open = True

    def leave(self, state: NodeState) -> None:
        """Its code has ended. The lock is held."""
        del self.open[state.id]
        self.busy -= 1
        self.threads.nodes.pop(state.thread, None)
        self.is_alone = False
        state.wake = None
        if not self.open:
            if not self.ready:
                self.changed.notify_all()
        elif len(self.open) > self.busy:
            # A sender waits for a reader to take something.
            queues = (*state.required, *state.optional)
            if not state.queued or all(len(values) <= MOST_WAITING // 2 for _, values in queues):
                self.changed.notify_all()

    def shut(self, state: NodeState) -> None:
        """From here on no exception is raised in the node's code. One that was on its way is raised here."""
        with self.lock:
            state.is_open = False
        nothing()

    # Sending

    def route(self, state: NodeState, transmitter: str, value: Any) -> NodeState | None:
        """Puts a value into the queues of its readers. Returns a reader whose queue is full. The lock is held."""
        outputs = state.outputs
        if state.planned and outputs is not None:
            if len(outputs) < MOST_OUTPUTS:
                outputs.append((transmitter, value))
            else:
                state.outputs = None
                state.last = {**dict(outputs), transmitter: value}
        elif state.planned:
            state.last[transmitter] = value
        crowded = None
        for target, values, is_required in state.routes.get(transmitter, ()):
            if not target.planned or target.failed:
                continue
            values.append(value)
            if is_required and len(values) == 1:
                target.waiting -= 1
            if target.waiting == 0 and not target.queued and not self.interrupted:
                target.queued = True
                target.ready_at = perf_counter()
                self.ready.append(target)
            if len(values) > MOST_WAITING:
                crowded = target
        if self.ready and not self.is_watching and self.active:
            self.look_out()
        return crowded

    def wait_for_room(self, state: NodeState, transmitter: str) -> None:
        """Waits until the readers of a stream have taken most of it. Meanwhile another node may use the slot."""
        is_own = get_ident() == state.thread and state.id in self.open
        began, until = perf_counter(), monotonic() + PATIENCE_OF_CHILDREN
        with self.lock:
            if is_own and len(self.open) - self.busy >= MOST_BLOCKED:
                return
            full = self.full(state, transmitter, MOST_WAITING)
            if full is None:
                return
            is_alone = is_own and self.is_alone
            if is_own:
                state.blocked_by = full
                self.busy -= 1
                self.is_alone = False
            self.send_help()
            try:
                while (full is not None or self.is_taken(is_alone)) and not self.interrupted and state.cut is None:
                    self.changed.wait(None if is_own else max(0.0, until - monotonic()))
                    if not is_own and monotonic() >= until:
                        break
                    full = self.full(state, transmitter, MOST_WAITING // 2)
                    if is_own:
                        state.blocked_by = full
            finally:
                if is_own:
                    state.blocked_by = None
                    self.busy += 1
                    state.away += perf_counter() - began
                    self.is_alone = self.is_alone or is_alone
        if is_own and state.cut is not None:
            raise interruption(state)

    def is_taken(self, is_alone: bool) -> bool:
        """Whether a node that wants to run alone would not, or whether another does."""
        return self.is_alone or (is_alone and self.busy > 0)

    def full(self, state: NodeState, transmitter: str, most: int) -> NodeState | None:
        """A reader with more than that in its queue, which can go on while this node waits."""
        for target, values, _ in state.routes.get(transmitter, ()):
            is_behind = len(values) > most and target.planned and not target.failed and target is not state
            if is_behind and (target.queued or target.id in self.open) and not waits_for(target, state):
                return target
        return None

    # Help

    def send_help(self) -> None:
        """One more thread, where there is a place and something to do. The lock is held."""
        if not self.ready or self.busy >= self.slots or self.debugger.stopped or self.interrupted:
            return
        if self.idle or self.helpers >= self.slots + MOST_BLOCKED:
            self.changed.notify_all()
            return
        self.helpers += 1
        threading.Thread(target=self.help, daemon=True, name=f"miranda-node-{self.helpers}").start()

    def look_out(self) -> None:
        self.is_watching = True
        if self.watcher is None:
            self.watcher = threading.Thread(target=self.watch, daemon=True, name="miranda-watch")
            self.watcher.start()
        self.alarm.set()

    def watch(self) -> None:
        """Sends help to what has been ready for a moment, and ends what takes longer than it may."""
        quiet, first = 0, None
        while True:
            if quiet > QUIET:
                with self.lock:
                    # Anything that is added after this sets the alarm.
                    self.is_watching = False
                    quiet = 0 if self.ready and self.active else quiet
                if quiet:
                    self.alarm.wait(self.until_next())
                self.alarm.clear()
                self.is_watching = True
                quiet = 0
            real_sleep(MOMENT)
            with self.lock:
                quiet = 0 if self.ready and self.active else quiet + 1
                before, first = first, self.ready[0] if self.ready else None
                if first is not None and (first is before or len(self.ready) > 1):
                    self.send_help()
                for state in self.open.values():
                    if state.until is not None and monotonic() >= state.until:
                        quiet = 0
                        self.throw(state, "timeout")

    def until_next(self) -> float | None:
        times = [state.until for state in list(self.open.values()) if state.until is not None]
        return max(0.0, min(times) - monotonic()) if times else None

    # Ending early

    def throw(self, state: NodeState, why: str) -> None:
        """The lock is held."""
        if state.is_open:
            if state.cut is None:
                state.cut, state.cut_at = why, monotonic()
            self.threads.throw(state)
            self.changed.notify_all()

    def interrupt(self) -> bool:
        """Ends what runs. Called again until nothing runs any more."""
        with self.lock:
            if not self.active:
                return False
            self.interrupted = True
            self.ready.clear()
            for state in self.open.values():
                self.throw(state, "interrupt")
        return True


def waits_for(state: NodeState | None, other: NodeState) -> bool:
    """Whether a node waits for the other, by way of any number of nodes: then the other must not wait for it."""
    for _ in range(MOST_BLOCKED + 1):
        state = state.blocked_by if state is not None else None
        if state is None:
            return False
        if state is other:
            return True
    return True


def nothing() -> None:
    """Python looks for an exception from another thread when a function is entered."""


def cores() -> int:
    """As many as the session's policy has, else as the machine has."""
    given = float(os.environ.pop("MIRANDA_PARALLEL", "") or 0)
    if given > 0:
        return max(1, round(given))
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
