"""Progress bars of nodes. Node code sets them as often as it likes; they are sent at most ten times a second."""

from __future__ import annotations

import threading
from time import monotonic
from typing import Any

MOST_BARS = 8
MOST_NODES = 1_000
LONGEST_LABEL = 100
SEND_EVERY = 0.1
LARGEST = 1e15
#: A node that has come to one of these has no bars any more.
ENDED = ("done", "error", "stopped", "idle")

Bar = dict[str, Any]


class Bars:
    def __init__(self) -> None:
        # A pause may come while a bar is set, in the same thread, and it sends the bars.
        self.lock = threading.RLock()
        self.bars: dict[int, dict[Any, Bar]] = {}
        self.changed: set[int] = set()
        self.sent: set[int] = set()
        self.sent_at = 0.0

    def set(self, node: int | None, key: Any, done: float, total: float | None, label: str) -> None:
        if node is None:
            return
        bar = {"label": str(label)[:LONGEST_LABEL], "done": amount(done) or 0, "total": amount(total)}
        with self.lock:
            own = self.bars.setdefault(node, {})
            if key not in own and len(own) >= MOST_BARS:
                # Bars that are full matter least.
                full = (old for old, one in own.items() if one["total"] is not None and one["done"] >= one["total"])
                own.pop(next(full, next(iter(own))))
            own[key] = bar
            self.changed.add(node)

    def remove(self, node: int | None, key: Any) -> None:
        with self.lock:
            if node is not None and self.bars.get(node, {}).pop(key, None) is not None:
                self.changed.add(node)

    def take(self, statuses: dict[int, str]) -> dict[int, list[Bar]]:
        """The bars to send now, with an empty list for nodes that have ended."""
        if not self.bars and not self.sent:
            return {}
        now = monotonic()
        with self.lock:
            ended = {node for node, status in statuses.items() if status in ENDED}
            for node in ended:
                self.bars.pop(node, None)
            gone = ended & self.sent
            due: set[int] = set()
            if now - self.sent_at >= SEND_EVERY:
                self.sent_at = now
                due = set(list(self.changed)[:MOST_NODES])
            self.changed -= due | ended
            due -= ended
            self.sent = (self.sent | due) - gone
            return {node: list(self.bars.get(node, {}).values()) for node in due | gone}


def amount(value: Any) -> float | None:
    """None when it is not a number or below zero: that is no reason to fail a node."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not 0 <= number <= LARGEST:
        return None
    return int(number) if number == int(number) else number
