"""What nodes show, on its way to the agent: bounded, and updates of one output at most ten times a second."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, cast

from ..declare import jsonable
from ..files import OutputFile
from .display import LARGEST

MOST_PER_RUN = 100
#: The agent ends a session that shows more: see miranda_agent/protocol.py.
MOST_PARTS = 150_000
SEND_EVERY = 0.1

Event = dict[str, Any]


class Outputs:
    """`send` sends an output, `warn` writes a warning into the log."""

    def __init__(self, send: Callable[[Event], None], warn: Callable[[str], None]) -> None:
        self.send = send
        self.warn = warn
        # A pause may come in the middle of a show, in the same thread, and it sends what waits.
        self.lock = threading.RLock()
        self.begin()

    def begin(self) -> None:
        """Another run has begun."""
        with self.lock:
            self.counts: dict[int | None, int] = {}
            self.numbers: dict[tuple[int | None, str], int] = {}
            self.sent_at: dict[tuple[int | None, str], float] = {}
            self.waiting: dict[tuple[int | None, str], Event] = {}

    def show(
        self,
        node: int | None,
        run: int,
        bundle: Event,
        metadata: Event,
        id: str | None,
        file: OutputFile | None = None,
    ) -> None:
        key = None if id is None else (node, id)
        with self.lock:
            number = None if key is None else self.numbers.get(key)
            if number is None:
                number = self.counts[node] = self.counts.get(node, 0) + 1
                if number > MOST_PER_RUN:
                    if number == MOST_PER_RUN + 1:
                        self.warn(f"Only the first {MOST_PER_RUN} outputs of a node in a run are kept.")
                    return
                if key is not None:
                    self.numbers[key] = number
        event = fitted({"kind": "output", "node": node, "run": run, "number": number}, bundle, metadata)
        if file is not None:
            event["file"] = written(file)
        if key is not None:
            event["id"] = id
            with self.lock:
                if monotonic() - self.sent_at.get(key, 0.0) < SEND_EVERY:
                    self.waiting[key] = event
                    return
                self.sent_at[key] = monotonic()
                # What waits is older than this.
                self.waiting.pop(key, None)
        self.send(event)

    def show_sent(self, node: int, run: int, bundle: Event, metadata: Event, file: OutputFile | None) -> None:
        """What a transmitter sent last. There are few of them, so they come after whatever the node has shown."""
        with self.lock:
            number = self.counts[node] = self.counts.get(node, 0) + 1
        event = fitted({"kind": "output", "node": node, "run": run, "number": number}, bundle, metadata)
        if file is not None:
            event["file"] = written(file)
        self.send(event)

    def send_waiting(self, is_end: bool) -> None:
        """Sends the newest output of each id when it is due, and all of them before a node ends."""
        if not self.waiting:
            return
        now = monotonic()
        with self.lock:
            due = [key for key in self.waiting if is_end or now - self.sent_at.get(key, 0.0) >= SEND_EVERY]
            events = [self.waiting.pop(key) for key in due]
            self.sent_at.update((key, now) for key in due)
        for event in events:
            self.send(event)


def written(file: OutputFile) -> Event:
    return {"name": file.name, "type": file.type, "content": b64encode(file.content).decode()}


def fitted(head: Event, bundle: Event, metadata: Event) -> Event:
    """Without the largest of its parts, until the rest is small enough."""
    data = jsonable(bundle)
    event = {**head, "data": data, "metadata": jsonable(metadata)}
    while len(json.dumps(event)) > LARGEST * 2 or parts_of(data) > MOST_PARTS:
        others = [mime for mime in data if mime != "text/plain"]
        if not others:
            data["text/plain"] = str(data.get("text/plain", ""))[:LARGEST] + "\n(the rest is too large)"
            event["metadata"] = {}
            break
        del data[max(others, key=lambda mime: len(json.dumps(data[mime])))]
    return event


def parts_of(value: Any) -> int:
    """How many values there are in a value."""
    inner: Iterable[Any] = ()
    if isinstance(value, (dict, list)):
        inner = cast("dict[Any, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
    return 1 + sum(map(parts_of, inner))
