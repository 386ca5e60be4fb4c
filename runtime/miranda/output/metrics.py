"""
The metrics of a run on their way to the agent. Node code may log millions of points: they are sent a few times a
second, and a line that becomes long is thinned out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

SEND_EVERY = 0.25
#: Of one message: `runMax` of contract/protocol/worker.ts has the same.
MOST_POINTS = 5_000
#: After as many points of a line that were sent, only every second one is, then every fourth, and so on.
THIN_AFTER = 10_000
#: Of one run. `runMetrics` of server/limits.ts has the same.
MOST_LINES = 300
LARGEST = 1e300

#: The name, the step, the value, and the time since the run began. A value that is none is a gap.
Point = tuple[str, float, float | None, float]


class Line:
    __slots__ = ("last", "sent", "step", "stride", "until_next", "waiting")

    def __init__(self) -> None:
        self.step = 0.0
        self.stride = 1
        self.until_next = 0
        self.sent = 0
        self.waiting: list[Point] = []
        #: The newest point, when it was left out: a line must not end before its last one.
        self.last: Point | None = None


class Metrics:
    """`send` sends a message, `warn` writes a warning into the log."""

    def __init__(self, send: Callable[[dict[str, Any]], None], warn: Callable[[str], None]) -> None:
        self.send = send
        self.warn = warn
        # A pause may come while a point is added, in the same thread, and it sends what waits.
        self.lock = threading.RLock()
        self.begin(0)

    def begin(self, run: int) -> None:
        """Another run has begun."""
        with self.lock:
            self.run = run
            self.began = monotonic()
            self.sent_at = 0.0
            self.lines: dict[tuple[int | None, str], Line] = {}
            self.told: set[str] = set()

    def add(self, node: int | None, name: str, value: float, step: float | None) -> None:
        with self.lock:
            line = self.lines.get((node, name)) or self.new_line(node, name)
            if line is None:
                return
            if step is None:
                step = line.step
            line.step = step + 1
            number = value if -LARGEST < value < LARGEST else None
            if number is None:
                self.warn_once("gap", f"The metric {name} is {value} at step {step:g}: its line has a gap there.")
            point = (name, step, number, monotonic() - self.began)
            line.until_next -= 1
            if line.until_next > 0:
                line.last = point
                return
            self.keep(line, point)

    def new_line(self, node: int | None, name: str) -> Line | None:
        if len(self.lines) >= MOST_LINES:
            self.warn_once("lines", f"This run has {MOST_LINES} metrics: further ones are not kept.")
            return None
        line = self.lines[(node, name)] = Line()
        return line

    def keep(self, line: Line, point: Point) -> None:
        line.waiting.append(point)
        line.last = None
        line.sent += 1
        if line.sent % THIN_AFTER == 0:
            line.stride *= 2
            words = f"The metric {point[0]} has more than {THIN_AFTER:,} points: from here on it is thinned out."
            self.warn_once(f"thinned {point[0]}", words)
        line.until_next = line.stride

    def warn_once(self, what: str, words: str) -> None:
        if what not in self.told:
            self.told.add(what)
            self.warn(words)

    def send_waiting(self, is_end: bool) -> None:
        """Sends the points when they are due, and all of them when a node has ended."""
        if not self.lines or (not is_end and monotonic() - self.sent_at < SEND_EVERY):
            return
        with self.lock:
            self.sent_at = monotonic()
            points: dict[int | None, list[Point]] = {}
            for (node, _), line in self.lines.items():
                if is_end and line.last is not None:
                    line.waiting.append(line.last)
                    line.last = None
                if line.waiting:
                    points.setdefault(node, []).extend(line.waiting)
                    line.waiting = []
            run = self.run
        for node, own in points.items():
            for start in range(0, len(own), MOST_POINTS):
                part = own[start : start + MOST_POINTS]
                self.send({"kind": "metrics", "node": node, "run": run, "points": part})
