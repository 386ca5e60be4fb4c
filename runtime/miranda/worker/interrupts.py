"""An interrupt ends what runs and keeps everything else. It reports what it still waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from ..execution.executor import Executor
from ..execution.node_threads import real_sleep
from ..output.streams import Channel
from ..packages.session_packages import interrupt_install
from .questions import Questions

#: How often an interrupt is tried again where an installation could not be reached.
EVERY = 0.02
REPORT_EVERY = 1.0
#: What a lane said of itself is taken for what it does now.
FRESH = 2.5


class Interrupts:
    def __init__(self, executor: Executor, questions: Questions, channel: Channel, given: Callable[[], int]) -> None:
        #: The number of the command that runs node code, or is about to; 0 when there is none.
        self.given = given
        self.executor = executor
        self.questions = questions
        self.channel = channel
        self.lock = threading.Lock()
        self.is_under_way = False
        #: After so many seconds lanes that have not ended are ended by force.
        self.force_after = 0.0

    def begin(self, force_after: float = 0.0) -> None:
        """A second interrupt while one is under way changes nothing but that."""
        with self.lock:
            self.force_after = force_after
            if self.is_under_way or self.given() == 0:
                return
            self.is_under_way = True
        threading.Thread(target=self.insist, daemon=True, name="miranda-interrupt").start()

    def insist(self) -> None:
        began = reported = monotonic()
        number = self.given()
        lanes = self.executor.lanes
        told: set[Any] = set()
        for lane in lanes.alive:
            lane.waits = None
        while number and self.given() == number:
            interrupt_install()
            self.executor.scheduler.interrupt()
            self.questions.give_up()
            for lane in lanes.alive:
                if lane not in told:
                    told.add(lane)
                    lane.send("interrupt")
            waited = monotonic() - began
            if self.force_after and waited >= self.force_after:
                self.force(None)
            if monotonic() - reported >= REPORT_EVERY:
                reported = monotonic()
                self.report(waited)
            real_sleep(EVERY)
        with self.lock:
            self.is_under_way = False

    def report(self, seconds: float) -> None:
        """Where each lane is: as it says, else as Python's fault handler finds when the lane cannot say anything."""
        places: list[dict[str, Any]] = []
        for lane in self.executor.lanes.alive:
            node = lane.current
            if not node:
                continue
            line, function = lane.place(FRESH)
            places.append({"node": node, "line": line, "function": function})
        self.channel.event({"kind": "interrupting", "seconds": round(seconds, 3), "nodes": places})

    def force(self, node: int | None) -> bool:
        """Ends the process of a node, or of all that run. Whether there was one."""
        lanes = [one for one in self.executor.lanes.alive if one.current and node in (None, one.current)]
        for lane in lanes:
            lane.was_forced = True
            lane.kill()
        return bool(lanes)
