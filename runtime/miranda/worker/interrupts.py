"""An interrupt ends what runs and keeps everything else. It reports what it still waits for."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from ..debugging.debugger import Debugger
from ..execution.executor import Executor
from ..execution.node_threads import is_inside, real_sleep
from ..output.streams import Channel
from ..packages.session_packages import interrupt_install
from .platform_host import PlatformHost

#: How often an interrupt is tried again where node code could not be reached.
EVERY = 0.02
REPORT_EVERY = 1.0
#: Child processes that node code waits for get a signal too, later a stronger one.
CHILDREN_AFTER = ((1.0, signal.SIGINT), (3.0, signal.SIGTERM))
LONGEST_NAME = 1_000


class Interrupts:
    def __init__(
        self,
        executor: Executor,
        debugger: Debugger,
        host: PlatformHost,
        channel: Channel,
        given: Callable[[], int],
    ) -> None:
        #: The number of the command that runs node code, or is about to; 0 when there is none.
        self.given = given
        self.executor = executor
        self.debugger = debugger
        self.host = host
        self.channel = channel
        self.lock = threading.Lock()
        self.is_under_way = False

    def begin(self) -> None:
        """A second interrupt while one is under way changes nothing."""
        with self.lock:
            if self.is_under_way or self.given() == 0:
                return
            self.is_under_way = True
        threading.Thread(target=self.insist, daemon=True, name="miranda-interrupt").start()

    def insist(self) -> None:
        began = reported = monotonic()
        signals = list(CHILDREN_AFTER)
        number = self.given()
        while number and self.given() == number:
            interrupt_install()
            self.executor.scheduler.interrupt()
            self.host.give_up()
            if self.debugger.stopped:
                self.debugger.commands.put({"command": "interrupt"})
            waited = monotonic() - began
            if signals and waited >= signals[0][0]:
                signal_children(signals.pop(0)[1])
            if monotonic() - reported >= REPORT_EVERY:
                reported = monotonic()
                self.report(waited)
            real_sleep(EVERY)
        self.is_under_way = False

    def report(self, seconds: float) -> None:
        frames = sys._current_frames()
        places: list[dict[str, Any]] = []
        for state in list(self.executor.scheduler.open.values())[:LONGEST_NAME]:
            frame = frames.get(state.thread)
            name = frame.f_code.co_name if frame is not None and not is_inside(frame) else ""
            own = state.loaded.filename if state.loaded else None
            while frame is not None and frame.f_code.co_filename != own:
                frame = frame.f_back
            places.append({"node": state.id, "line": frame.f_lineno if frame else 0, "function": name[:LONGEST_NAME]})
        self.channel.event({"kind": "interrupting", "seconds": round(seconds, 3), "nodes": places})


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
