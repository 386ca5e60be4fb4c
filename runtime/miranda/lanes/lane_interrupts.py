"""An interrupt ends what runs in a lane and keeps everything else. It reports what it still waits for."""

from __future__ import annotations

import os
import signal
import sys
import threading
from time import monotonic

from ..debugging.debugger import Debugger
from ..execution.node_threads import is_inside, real_sleep
from ..worker.questions import Questions
from .node_runs import NodeRuns
from .wire import LaneChannel

#: How often an interrupt is tried again where node code could not be reached.
EVERY = 0.02
REPORT_EVERY = 1.0
#: Child processes that node code waits for get a signal too, later a stronger one.
CHILDREN_AFTER = ((1.0, signal.SIGINT), (3.0, signal.SIGTERM))
LONGEST_NAME = 1_000


class LaneInterrupts:
    def __init__(self, runs: NodeRuns, debugger: Debugger, questions: Questions, channel: LaneChannel) -> None:
        self.runs = runs
        self.debugger = debugger
        self.questions = questions
        self.channel = channel
        self.lock = threading.Lock()
        self.is_under_way = False
        #: How many tasks the main thread was given and has carried out, and which of them an interrupt ends: it may
        #: come before a task has begun.
        self.received = self.begun = self.ended = 0
        self.until = 0

    @property
    def is_busy(self) -> bool:
        return self.ended < self.received

    def begin_task(self) -> None:
        self.begun += 1
        self.runs.is_interrupted = self.begun <= self.until

    def end_task(self) -> None:
        self.ended = self.begun

    def begin(self) -> None:
        """A second interrupt while one is under way changes nothing."""
        with self.lock:
            if not self.is_busy:
                return
            self.until = self.received
            if self.is_under_way:
                return
            self.is_under_way = True
        threading.Thread(target=self.insist, daemon=True, name="miranda-interrupt").start()

    def insist(self) -> None:
        began = reported = monotonic()
        signals = list(CHILDREN_AFTER)
        while self.ended < self.until:
            self.runs.interrupt()
            self.questions.give_up()
            if self.debugger.stopped:
                self.debugger.commands.put({"command": "interrupt"})
            waited = monotonic() - began
            if signals and waited >= signals[0][0]:
                signal_children(signals.pop(0)[1])
            if monotonic() - reported >= REPORT_EVERY:
                reported = monotonic()
                self.report()
            real_sleep(EVERY)
        with self.lock:
            self.is_under_way = False

    def report(self) -> None:
        node = self.runs.firing
        if node is None:
            return
        frame = sys._current_frames().get(node.thread)
        name = frame.f_code.co_name if frame is not None and not is_inside(frame) else ""
        own = node.loaded.filename if node.loaded else None
        while frame is not None and frame.f_code.co_filename != own:
            frame = frame.f_back
        self.channel.control(("waits", node.id, frame.f_lineno if frame else 0, name[:LONGEST_NAME]))


def signal_children(number: int) -> None:
    """A thread that waits for a child process cannot be reached; the child can."""
    own = os.getpid()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
            if parent == own:
                os.kill(int(name), number)
        except (OSError, ValueError, IndexError):
            continue
