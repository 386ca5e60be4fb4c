"""
Decides which node fires when, and in which lane. One lock guards everything here: the main thread and the threads that
read what lanes say come here. Nothing here runs node code or opens a value.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any

from ..lanes.shared import Remote
from .deliveries import Delivery
from .graph import MOST_OUTPUTS, NodeState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lanes.lane import Lane
    from ..lanes.lanes import Lanes

#: How many values may wait at a receiver before its sender waits too.
MOST_WAITING = 16
#: Nodes that wait for their readers keep a lane each. Beyond that many, values pile up instead.
MOST_BLOCKED = 32
#: How long a node waits for the lane that has its instance or its values, in seconds.
MOMENT = 0.002
#: How many values a node is given in one go.
MOST_AT_ONCE = 64


class Scheduler:
    def __init__(self, slots: int, lanes: Lanes, prepare: Callable[[NodeState, Lane], bool]) -> None:
        self.slots = max(1, slots)
        self.lanes = lanes
        #: Makes a lane ready to fire a node that it does not have: false when that has to wait.
        self.prepare = prepare
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.ready: deque[NodeState] = deque()
        #: What threads sent while nothing ran.
        self.early: deque[tuple[NodeState, str, Any]] = deque()
        #: Every node that a lane was given and has not ended.
        self.open: dict[int, NodeState] = {}
        self.active = False
        self.interrupted = False
        self.is_alone = False
        #: Node code is stopped by the debugger: nothing new starts.
        self.stopped = False
        #: A node waits for a lane that only the main thread can start, or for its moment to pass.
        self.wants_lane = self.wants_moment = False
        #: Nodes whose values were lost with a lane.
        self.bereft: dict[int, NodeState] = {}
        #: The runs of this session, for the settings of nodes.
        self.serial = 0
        #: Tells that a value cannot leave its lane.
        self.on_stuck: Callable[[NodeState, Remote], bool] = lambda state, value: False
        #: Called for each node that is fired.
        self.on_fire: Callable[[NodeState], None] = lambda state: None

    # The main thread

    def work(self) -> None:
        """Until nothing is ready and nothing runs."""
        with self.lock:
            while True:
                self.pump(is_main=True)
                if not self.open and (not self.ready or self.interrupted):
                    return
                self.changed.wait(MOMENT if self.wants_moment else None)

    # Choosing

    def pump(self, *, is_main: bool = False) -> None:
        """Gives to lanes what can run now. The lock is held."""
        self.wants_lane = self.wants_moment = False
        while self.ready and self.active and not self.stopped and not self.interrupted and not self.is_alone:
            found = self.choose(is_main)
            if found is not None:
                self.fire(*found)
            elif not self.end_standstill():
                break
        if not is_main and (self.wants_lane or self.wants_moment or not (self.open or self.ready)):
            self.changed.notify_all()

    def end_standstill(self) -> bool:
        """
        Lets one sender go on when every lane is held by one that waits, and what they wait for could only run in such a
        lane.
        """
        if self.busy_lanes() or self.wants_moment or self.wants_lane:
            return False
        lane = next((one for one in self.lanes.all if one.blocked is not None and one.is_alive), None)
        if lane is None or lane.blocked is None:
            return False
        lane.send("room", lane.blocked.id)
        lane.blocked.blocked_by, lane.blocked = None, None
        return True

    def choose(self, is_main: bool) -> tuple[NodeState, Lane] | None:
        busy = self.busy_lanes()
        is_full = busy >= self.slots
        idle = [] if is_full else [lane for lane in self.lanes.all if lane.is_idle]
        can_start = not is_full and len(self.lanes.alive) - self.blocked_lanes() < self.slots
        if not idle and not can_start:
            return None
        at = 0
        while at < len(self.ready):
            state = self.ready[at]
            if state.failed or state.id in self.open:
                # A node that runs already fires again when it has returned.
                del self.ready[at]
                state.queued = False
                continue
            assert state.loaded is not None
            if not state.loaded.parallel:
                if busy:
                    return None
                self.is_alone = True
            lane = self.lane_for(state, idle, can_start, is_main)
            if lane is not None:
                del self.ready[at]
                state.queued = False
                return state, lane
            self.is_alone = False
            if state.failed:
                # It cannot be given what it needs there.
                del self.ready[at]
                state.queued = False
            else:
                at += 1
        return None

    def busy_lanes(self) -> int:
        return sum(1 for lane in self.lanes.all if lane.tasks and lane.blocked is None and lane.is_alive)

    def blocked_lanes(self) -> int:
        return min(MOST_BLOCKED, sum(1 for lane in self.lanes.all if lane.blocked is not None))

    def lane_for(self, state: NodeState, idle: list[Lane], can_start: bool, is_main: bool) -> Lane | None:
        own = state.lane if state.lane is not None and state.lane.is_alive else None
        if own is not None:
            if own in idle:
                return own
            if is_settled(state):
                return None
            if perf_counter() - state.ready_at < MOMENT:
                self.wants_moment = True
                return None
        for lane in idle:
            if self.prepare(state, lane):
                return lane
        if not idle and can_start:
            if is_main:
                lane = self.lanes.start()
                return lane if self.prepare(state, lane) else None
            self.wants_lane = True
        return None

    # Firing

    def fire(self, state: NodeState, lane: Lane) -> None:
        """Everything that the node can be fired with now, and the nodes behind it that nobody else feeds."""
        entries: list[tuple[int, list[tuple[str, Any]], float]] = []
        # What a node leaves in a bucket's folder is stored after each time that it runs.
        most = 1 if isinstance(state.storage, dict) else MOST_AT_ONCE
        while len(entries) < most:
            given = self.take_given(state)
            entries.append((state.id, given, state.ready_at))
            if state.waiting or not any(name not in state.sticky for name, _ in state.required):
                break
        chain, reserved = self.chain_of(state, lane)
        self.on_fire(state)
        self.open[state.id] = state
        lane.tasks += 1
        lane.open[state.id] = len(entries)
        for after in reserved:
            self.open[after.id] = after
            lane.reserved.add(after.id)
        values = [value for _, given, _ in entries for _, value in given if type(value) is Remote]
        Delivery(self, lane, state, entries, [chain] if reserved else [], values).begin()

    def take_given(self, state: NodeState) -> list[tuple[str, Any]]:
        given: list[tuple[str, Any]] = []
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
        return given

    def chain_of(self, state: NodeState, lane: Lane) -> tuple[list[Any], list[NodeState]]:
        chain: list[Any] = [state.id]
        found: list[NodeState] = []
        seen = {state.id}
        while state.follower is not None:
            after, transmitter, receiver = state.follower
            if after.id in seen or after.lane is not lane or not after.planned or after.failed:
                break
            if after.queued or after.id in self.open or after.queues[receiver]:
                break
            chain.append((after.id, transmitter, receiver))
            found.append(after)
            seen.add(after.id)
            state = after
        return chain, found

    def give_back(self, state: NodeState, given: list[list[tuple[str, Any]]]) -> None:
        """The values that a node was to be fired with wait again. The lock is held."""
        for one in reversed(given):
            for name, value in one:
                if name in state.sticky:
                    continue
                values = state.queues.get(name)
                if values is not None and (value is not None or name not in dict(state.optional)):
                    if not values and name in dict(state.required):
                        state.waiting -= 1
                    values.appendleft(value)
        self.make_ready(state)

    def make_ready(self, state: NodeState) -> None:
        if not state.queued and state.waiting == 0 and not state.failed and not self.interrupted:
            state.queued, state.ready_at = True, perf_counter()
            self.ready.append(state)

    # What lanes say. The lock is held.

    def record(self, state: NodeState, transmitter: str, value: Any) -> None:
        """Keeps a value for a replay, where there are not too many."""
        outputs = state.outputs
        if state.planned and outputs is not None:
            if len(outputs) < MOST_OUTPUTS:
                outputs.append((transmitter, value))
            else:
                state.outputs = None
                state.last = {**dict(outputs), transmitter: value}
        elif state.planned:
            state.last[transmitter] = value

    def route(self, state: NodeState, transmitter: str, value: Any) -> None:
        """Puts a value into the queues of its readers."""
        self.record(state, transmitter, value)
        for target, values, is_required in state.routes.get(transmitter, ()):
            if not target.planned or target.failed:
                continue
            values.append(value)
            if is_required and len(values) == 1:
                target.waiting -= 1
            if target.waiting == 0 and not target.queued and not self.interrupted:
                target.queued, target.ready_at = True, perf_counter()
                self.ready.append(target)

    def leave(self, state: NodeState, lane: Lane) -> None:
        """One firing has ended."""
        left = lane.open.get(state.id, 0) - 1
        if left > 0:
            lane.open[state.id] = left
            return
        if lane.open.pop(state.id, None) is not None:
            self.open.pop(state.id, None)
            self.is_alone = False
        if lane.blocked is state:
            lane.blocked = None

    def end_task(self, lane: Lane) -> None:
        lane.tasks = max(0, lane.tasks - 1)
        if lane.tasks == 0:
            for key in (*lane.reserved, *lane.open):
                state = self.open.pop(key, None)
                if state is not None and state.waiting == 0 and state.required:
                    self.make_ready(state)
            lane.reserved.clear()
            lane.open.clear()
            self.is_alone = False

    # Senders that wait

    def ask_room(self, state: NodeState, transmitter: str, lane: Lane) -> None:
        full = self.full(state, transmitter, MOST_WAITING // 2)
        is_own = state.id in lane.open or state.id in lane.reserved
        if full is None or not is_own or self.blocked_lanes() >= MOST_BLOCKED or self.cannot_go_on(full, lane):
            lane.send("room", state.id)
            return
        state.blocked_by = full
        lane.blocked = state
        self.is_alone = False

    def cannot_go_on(self, full: NodeState, lane: Lane) -> bool:
        """A reader whose instance is in the lane that waits for it."""
        return full.lane is lane and is_settled(full)

    def look_for_room(self) -> None:
        for lane in self.lanes.all:
            state = lane.blocked
            # A node that runs alone does so until it has ended, and one that wants to waits for the others.
            if state is None or (self.is_alone and not self.interrupted):
                continue
            is_alone = state.loaded is not None and not state.loaded.parallel
            if is_alone and self.busy_lanes() and not self.interrupted:
                continue
            full = next((found for name in state.routes if (found := self.full(state, name, MOST_WAITING // 2))), None)
            state.blocked_by = full
            if full is None or self.interrupted:
                lane.blocked = None
                self.is_alone = is_alone
                lane.send("room", state.id)

    def full(self, state: NodeState, transmitter: str, most: int) -> NodeState | None:
        """A reader with more than that in its queue, which can go on while this node waits."""
        for target, values, _ in state.routes.get(transmitter, ()):
            is_behind = len(values) > most and target.planned and not target.failed and target is not state
            if is_behind and (target.queued or target.id in self.open) and not waits_for(target, state):
                return target
        return None

    # Ending early

    def interrupt(self) -> bool:
        """Ends what runs."""
        with self.lock:
            if not self.active:
                return False
            if not self.interrupted:
                self.interrupted = True
                for state in self.ready:
                    state.queued = False
                self.ready.clear()
                self.lanes.send("interrupt")
                self.look_for_room()
                self.changed.notify_all()
        return True


def is_settled(state: NodeState) -> bool:
    """
    Whether a node stays in its lane: its instance holds something of its own, or what it has shown in this run is
    counted there.
    """
    shares = state.loaded is not None and state.loaded.share_state
    return state.is_stateful or shares or state.runs > 0


def waits_for(state: NodeState | None, other: NodeState) -> bool:
    """Whether a node waits for the other, by way of any number of nodes: then the other must not wait for it."""
    for _ in range(MOST_BLOCKED + 1):
        state = state.blocked_by if state is not None else None
        if state is None:
            return False
        if state is other:
            return True
    return True
