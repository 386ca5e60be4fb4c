"""
Fires nodes in the main thread of a lane. The worker decides what is fired; of a chain of nodes that only feed each
other it gives the whole, and it runs here without asking again.
"""

from __future__ import annotations

import threading
from collections import deque
from time import monotonic, perf_counter
from typing import Any

from ..debugging.debugger import HAS_MONITORING, Debugger
from ..execution.loader import user_traceback
from ..execution.node_call import call
from ..execution.node_threads import MAIN, Interrupted, NodeThreads, interruption, wake_of
from ..execution.values import UNCHANGEABLE, is_plain, pack
from ..isolation.seen import NOTHING, Seen, both
from .lane_node import LaneNode, is_own_thread
from .lane_nodes import LaneNodes
from .lane_reports import LaneReports

#: Between two tries of a node, in seconds: twice as long each time.
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
#: How many values a node may send before it asks whether its readers keep up. Half of those that may wait there.
MOST_UNANSWERED = 8
#: A thread that a node started waits for readers a little only.
PATIENCE_OF_CHILDREN = 1.0
#: How many reports are collected at most before they are sent.
MOST_REPORTS = 500
#: And for how long, in seconds, while nodes follow each other.
REPORT_AFTER = 0.002
LOOK_EVERY = 0.1
TRACES = not HAS_MONITORING


class NodeRuns(LaneNodes):
    def __init__(self, debugger: Debugger, reports: LaneReports) -> None:
        super().__init__(debugger, reports)
        self.output = reports.streams
        self.threads = NodeThreads()
        self.threads.on_child = self.output.share
        self.threads.on_end = self.output.forget
        self.threads.only = lambda: self.firing
        debugger.is_ending = lambda: self.is_interrupted
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        #: What is fired next: the node, its values, and when they were there.
        self.ready: deque[tuple[LaneNode, list[tuple[str, Any]], float]] = deque()
        self.firing: LaneNode | None = None
        self.fired_at = 0.0
        self.is_interrupted = False
        #: The warnings about values that cannot be copied: one for each node and type.
        self.warned: set[tuple[int, str]] = set()
        #: Wakes the thread that gives work back, when it sleeps.
        self.look_out = nothing
        self.is_watched = True

    @property
    def current(self) -> LaneNode | None:
        return self.threads.current

    # Firing

    def enter(self, node: LaneNode) -> None:
        self.firing = node
        node.thread = MAIN
        self.threads.nodes[MAIN] = node
        node.cut = None
        node.is_open = True

    def leave(self, node: LaneNode) -> None:
        self.threads.nodes.pop(MAIN, None)
        self.firing = None
        node.wake = None

    def work(self, entries: list[tuple[LaneNode, list[tuple[str, Any]], float]]) -> None:
        """Fires these, and what follows them here."""
        lock, ready = self.lock, self.ready
        with lock:
            ready.extend(entries)
        while True:
            with lock:
                if self.is_interrupted:
                    ready.clear()
                if not ready:
                    break
                node, given, since = ready.popleft()
                node.queued -= 1
            if node.instance is None:
                # Its code could not be loaded, and the worker knows.
                self.reports.batch.append(("skipped", node.id))
                continue
            node.given = given
            self.fire(node, since)

    def fire(self, node: LaneNode, since: float) -> None:
        output, reports = self.output, self.reports
        reports.note(node.id)
        if node.bound != self.run:
            self.bind(node)
        if not output.is_live or output.is_shared:
            self.print_alone()
        output.alone = (MAIN, node.id)
        loaded = node.loaded
        tracing = TRACES and self.debugger.is_active
        error: BaseException | None = None
        node.away = 0.0
        is_inert = node.is_inert and is_plain(node.given)
        home = None if is_inert else node.home
        if home is not None:
            self.state.enter(home)
        if not is_inert:
            self.reads.begin()
        self.enter(node)
        began = self.fired_at = perf_counter()
        try:
            if tracing:
                self.debugger.enter(loaded.filename)  # type: ignore[union-attr]
            if loaded.has_limits:  # type: ignore[union-attr]
                self.call_within_limits(node)
            else:
                call(node)
        except BaseException as caught:
            error = caught
        # Here and not in a function of its own: an interrupt that is on its way arrives when a function is entered.
        node.is_open = False
        ended, away = perf_counter(), node.away
        if tracing:
            self.debugger.leave()
        is_interrupted = error is not None and self.end_badly(node, error)
        if self.threads.children:
            self.mark_late(node)
        if not output.is_live:
            # Now, or it would be taken for the next node's.
            output.flush()
        self.leave(node)
        batch = reports.batch
        if not is_inert:
            self.note_reads(node, self.reads.end())
        elif node.seen is None and node.made_with is not NOTHING:
            self.note_reads(node, NOTHING)
        if home is not None:
            self.state.leave()
        if error is None:
            held = len(node.instance.__dict__) != node.size or node.secretive or node.evaluated
            if held or self.threads.children:
                batch.append(("flags", node.id, *self.flags_of(node)))
            with self.lock:
                moved, node.moved = node.moved, None
                can_wait = not self.ready or self.ready[0][0].is_inert
            if moved is not None and not away:
                batch.append(("step", node.id, moved, since, began, ended))
            else:
                if moved is not None:
                    batch.append(("kept", node.id, *moved))
                batch.append(("ended", node.id, since, began, ended, away))
        else:
            self.tell_moved(node)
            self.forget_values(node)
            batch.append(("failed", node.id, since, began, ended, away, is_interrupted))
            can_wait = False
        if not can_wait or not self.ready:
            reports.note(0)
        if len(batch) > MOST_REPORTS or ended - reports.sent_at > REPORT_AFTER or not can_wait:
            # Before a node that may hold Python's lock: it would keep the news, and its end would lose it.
            reports.send_batch()

    def note_reads(self, node: LaneNode, seen: Seen) -> None:
        """Tells what the node's run has read so far, when that is more than before."""
        before = node.seen
        node.seen = both(before or node.made_with, seen)
        if node.seen != (before or NOTHING):
            self.reports.batch.append(("reads", node.id, *node.seen))

    def mark_late(self, node: LaneNode) -> None:
        """Threads that its code has left running."""
        left = [thread for thread, owner in list(self.threads.nodes.items()) if owner is node and thread != MAIN]
        new = [thread for thread in left if thread not in self.output.late]
        if not new:
            return
        # What they have printed so far belongs to the run.
        self.output.flush_all()
        self.output.late.update(new)
        # Pools of libraries keep threads too: that is their affair, as long as they print nothing.
        names = [one.name for one in threading.enumerate() if one.ident in new and is_own_thread(one, node)]
        if names and (node.id, "thread") not in self.warned:
            self.warned.add((node.id, "thread"))
            shown = ", ".join(names[:5])
            words = f"{node.name} has left {len(names)} threads running ({shown})."
            if len(names) == 1:
                words = f"{node.name} has left a thread running ({shown})."
            self.reports.remark(2, f"{words} What they print from now on is marked as late. They end with the session.")

    def forget_values(self, node: LaneNode) -> None:
        """A node that failed does not fire again in this run."""
        with self.lock:
            if node.queued:
                left = [entry for entry in self.ready if entry[0] is not node]
                self.ready.clear()
                self.ready.extend(left)
                node.queued = 0

    def flags_of(self, node: LaneNode) -> tuple[bool, bool, bool, bool]:
        is_own = node.instance is not None and len(node.instance.__dict__) != node.size
        has_threads = any(owner is node for owner in list(self.threads.nodes.values()))
        return is_own, node.secretive, node.evaluated, has_threads

    def call_within_limits(self, node: LaneNode) -> None:
        assert node.loaded is not None
        retries, timeout = int(node.loaded.retries), node.loaded.timeout
        for attempt in range(retries + 1):
            node.held = [] if retries else None
            if timeout:
                node.until = monotonic() + timeout
                self.look_out()
            try:
                call(node)
                break
            except BaseException as error:
                if node.cut == "interrupt" or attempt == retries or not isinstance(error, (Exception, Interrupted)):
                    raise
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
                words = f"{type(error).__name__}: {error}" if node.cut is None else f"longer than {timeout:g} s"
                again = f"try {attempt + 2} of {retries + 1} in {wait:g} s"
                self.reports.remark(2, f"{node.name} failed ({words[:500]}); {again}.")
                node.until, node.cut = None, None
                wake_of(node).clear()
                self.wait(node, wait)
            finally:
                node.until = None
        sent, node.held = node.held or (), None
        for transmitter, value in sent:
            self.pass_on(node, transmitter, value)

    def wait(self, node: LaneNode, seconds: float) -> None:
        until = monotonic() + seconds
        while monotonic() < until:
            if node.cut is not None:
                raise Interrupted(node.cut)
            wake_of(node).wait(min(0.05, max(0.0, until - monotonic())))

    def end_badly(self, node: LaneNode, error: BaseException) -> bool:
        """Reports the error. True when there is none to report: somebody interrupted the node."""
        if node.cut == "interrupt" and isinstance(error, KeyboardInterrupt):
            return True
        if node.cut == "timeout" and isinstance(error, Interrupted):
            seconds = node.loaded.timeout if node.loaded else 0
            error = TimeoutError(f"{node.name} took longer than {seconds:g} seconds.").with_traceback(
                error.__traceback__
            )
        if isinstance(error, ValueError) and "read-only" in str(error):
            error.add_note(
                "An array of more than 64 MB is sent without a copy, so nobody may change it: change a copy."
            )
        self.debugger.failed(error)
        text, line, function, _ = user_traceback(error)
        self.reports.exception(node.id, line, function, text, error)
        return False

    def print_alone(self) -> None:
        self.output.flush()
        if not self.threads.children:
            self.output.end_sharing()

    # Sending

    def deliver(self, node: LaneNode, transmitter: str, value: Any) -> None:
        """A send of node code."""
        if type(value) not in UNCHANGEABLE:
            value = pack(value, lambda kind: self.warn_shared(node, kind))
        if node.held is not None:
            node.held.append((transmitter, value))
            return
        self.pass_on(node, transmitter, value)

    def pass_on(self, node: LaneNode, transmitter: str, value: Any) -> None:
        reports = self.reports
        with self.lock:
            following = node.following
            if following is not None and transmitter == node.transmitter:
                moved = (transmitter, self.reference(value), type(value).__name__)
                if node.moved is None and not node.unanswered and node is self.firing:
                    # Told with its end. It is told at once where that comes later.
                    node.moved = moved
                else:
                    self.tell_moved(node)
                    reports.batch.append(("kept", node.id, *moved))
                self.ready.append((following, [(node.receiver, value)], perf_counter()))
                following.queued += 1
                if not self.is_watched:
                    self.look_out()
                return
            self.tell_moved(node)
            reports.batch.append(("sent", node.id, transmitter, self.reference(value), type(value).__name__))
            node.unanswered += 1
            is_crowded = node.unanswered > MOST_UNANSWERED
            if is_crowded:
                reports.batch.append(("asks", node.id, transmitter))
        if following is None or is_crowded:
            reports.send_batch()
        if is_crowded:
            self.wait_for_room(node)

    def tell_moved(self, node: LaneNode) -> None:
        moved, node.moved = node.moved, None
        if moved is not None:
            self.reports.batch.append(("kept", node.id, *moved))

    def wait_for_room(self, node: LaneNode) -> None:
        """Until the worker says that the readers have taken most of what was sent."""
        is_own = self.firing is node and threading.get_ident() == MAIN
        began, until = perf_counter(), monotonic() + PATIENCE_OF_CHILDREN
        with self.lock:
            while node.unanswered > MOST_UNANSWERED and not self.is_interrupted and node.cut is None:
                # In short waits: one that never ends could not be interrupted.
                self.changed.wait(LOOK_EVERY)
                if not is_own and monotonic() >= until:
                    break
        if is_own:
            node.away += perf_counter() - began
            if node.cut is not None:
                raise interruption(node)

    def give_room(self, key: int) -> None:
        node = self.nodes.get(key)
        with self.lock:
            if node is not None:
                node.unanswered = 0
            self.changed.notify_all()

    def warn_shared(self, node: LaneNode, kind: str) -> None:
        if (node.id, kind) not in self.warned:
            self.warned.add((node.id, kind))
            words = f"{node.name} sends a value that cannot be copied ({kind}): its receivers share it."
            self.reports.remark(2, words)

    # What takes longer

    def give_back(self) -> None:
        """What waits behind a node that takes longer: another lane may run it."""
        with self.lock:
            firing = self.firing
            if not self.ready or firing is None:
                return
            by_node: dict[int, list[tuple[list[tuple[str, Any]], float]]] = {}
            stays: deque[tuple[LaneNode, list[tuple[str, Any]], float]] = deque()
            while self.ready:
                node, given, since = self.ready.popleft()
                if node is firing:
                    # A node runs in one place at a time.
                    stays.append((node, given, since))
                    continue
                node.queued -= 1
                references = [(name, self.reference(value)) for name, value in given]
                by_node.setdefault(node.id, []).append((references, since))
            self.ready.extend(stays)
            if not by_node:
                return
            # What the node sends from now on goes to the worker.
            for node in self.nodes.values():
                if node.following is not None and node.following.id in by_node:
                    node.following = None
            firing.following = None
            self.tell_moved(firing)
            self.reports.batch.append(("back", list(by_node.items())))
        self.reports.send_batch()

    def until_next(self) -> float | None:
        """Milliseconds until a node takes longer than it may."""
        node = self.firing
        until = node.until if node is not None else None
        return None if until is None else max(0.0, (until - monotonic()) * 1_000)

    def end_late(self) -> None:
        """Ends what takes longer than it may."""
        node = self.firing
        if node is not None and node.until is not None and monotonic() >= node.until:
            self.throw(node, "timeout")

    def throw(self, node: LaneNode, why: str) -> None:
        if node.is_open:
            if node.cut is None:
                node.cut, node.cut_at = why, monotonic()
            self.threads.throw(node)
            with self.lock:
                self.changed.notify_all()

    def interrupt(self) -> None:
        """Ends what runs. Called again until nothing runs any more."""
        self.is_interrupted = True
        node = self.firing
        if node is not None:
            self.throw(node, "interrupt")


def nothing() -> None:
    """Nobody sleeps who would have to look."""
