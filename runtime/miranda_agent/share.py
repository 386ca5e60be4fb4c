"""Keeps the worker and all it started to their share of the processors, where the kernel does not do it for us."""

from __future__ import annotations

import os
import signal
import threading
import time

from .processes import Meter, Process, alive, descendants, send

TICK = 0.1
#: A session far below its share is checked less often.
CALM_TICK = 0.5
LONGEST_WAIT = 1.0


class Share:
    def __init__(self, cpus: float, killing: threading.RLock) -> None:
        self.cpus = cpus
        #: Held while processes are ended: none may be halted or resumed meanwhile.
        self.killing = killing
        self.meter = Meter()
        self.halted: list[Process] = []

    def keep_forever(self) -> None:
        """What was used too much is waited for: on average over a second or so nobody has more than their share."""
        left, tick, at = 0.0, TICK, time.monotonic()
        while True:
            time.sleep(tick)
            now = time.monotonic()
            earned, at = self.cpus * (now - at), now
            used = self.meter.sample()
            left = min(left + earned - used, self.cpus * TICK)
            tick = TICK if used > earned / 2 else CALM_TICK
            if left < 0:
                self.halt()
                time.sleep(min(-left / self.cpus, LONGEST_WAIT))
                self.resume()

    def halt(self) -> None:
        with self.killing:
            # Those that node code has stopped itself stay its own affair.
            self.halted = [process for process in alive(descendants(os.getpid())) if process.state != b"T"]
            for process in self.halted:
                send(process, signal.SIGSTOP)

    def resume(self) -> None:
        with self.killing:
            for process in self.halted:
                send(process, signal.SIGCONT)
            self.halted = []
