"""
Events on their way to the server: numbered, and kept until the server has stored them. When the outbox is full, adding
an event waits: the readers stop reading, the worker's pipes fill and the worker waits. Nothing is dropped.
"""

from __future__ import annotations

import collections
import json
import threading
import time
from itertools import groupby

from .http import Connection, Unreachable
from .message_checks import is_list, is_object
from .unsent import Unsent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .lines import Lines
    from .message_types import Event, LogEvent

MOST_HELD = 8 << 20
MOST_PER_BATCH = 1 << 20
LINGER = 0.02
#: In seconds: how long the events of a call wait for each other. Most calls have ended by then.
GATHER = 0.05
#: In seconds: how long samples wait for other events.
SAMPLES_LINGER = 1.0
OWN = ("usage", "state")
#: How long a server that answers everything else may fail at one batch.
STUCK_AFTER = 60.0
PARTIAL_AFTER = 0.08
#: The server's disk is full: what it cannot store waits here, and node code waits when there is too much.
FULL_DISK = 507


class Ended(Exception):
    """The server does not know this job any more, or the job has ended."""


class Stuck(Exception):
    """The server cannot take this, and takes everything else."""


#: A batch has at least one event.
EMPTY: Event = {"kind": "partial", "tag": 0, "text": ""}


class Outbox:
    def __init__(self, connection: Connection, job: str, give_up_after: float, unsent: Unsent | None = None) -> None:
        self.connection = connection
        self.unsent = unsent or Unsent([])
        #: How many events were taken to be sent.
        self.taken = 0
        self.path = f"/api/runner/{job}/events"
        self.give_up_after = give_up_after
        self.changed = threading.Condition()
        #: Each with its size.
        self.waiting: collections.deque[tuple[Event, int]] = collections.deque()
        self.held = 0
        #: Somebody waits for the end of a command, so it is sent at once.
        self.is_urgent = False
        #: Until when the events of a call are gathered.
        self.gather_until = 0.0
        self.serves_calls = False
        self.lingering_since = 0.0
        self.number = 0
        self.closed = False
        #: Unfinished lines and their levels.
        self.unfinished: list[tuple[int, Lines]] = []
        self.secrets: list[str] = []
        self.reached_at = time.monotonic()

    def add(self, event: Event, size: int = 200) -> None:
        with self.changed:
            # Our own measurements and states never wait: node code could fill the outbox to escape measurement.
            while self.held > MOST_HELD and not self.closed and event["kind"] not in OWN:
                self.changed.wait()
            self.put(event, size)
            self.is_urgent = self.is_urgent or event["kind"] == "done"
            self.changed.notify_all()

    def put(self, event: Event, size: int) -> None:
        """The lock is held."""
        self.unsent.add(event)
        self.waiting.append((event, size))
        self.held += size

    def add_together(self, first: Event, second: Event, size: int) -> None:
        """In one batch, and at once. The second is our own."""
        with self.changed:
            self.add(first, size)
            self.put(second, 200)

    def gather(self) -> None:
        """A call begins: what it reports is sent together if it is short."""
        with self.changed:
            self.serves_calls = True
            self.gather_until = time.monotonic() + GATHER

    def linger(self) -> None:
        """Waits for more to send together. The lock is held."""
        while not self.is_urgent and not self.closed and self.held < MOST_PER_BATCH:
            now = time.monotonic()
            only_samples = self.serves_calls and all(event["kind"] == "usage" for event, _ in self.waiting)
            until = max(self.gather_until, self.lingering_since + SAMPLES_LINGER if only_samples else 0.0)
            if now >= until:
                break
            self.changed.wait(until - now)

    def add_log(self, tag: int, text: str, node: int = 0) -> None:
        if self.secrets:
            text = self.masked(text)
        event: LogEvent = {"kind": "log", "tag": tag, "at": int(time.time() * 1000), "text": text, "node": node or None}
        self.add(event, len(text) + 100)

    def hide(self, secret: str) -> None:
        """
        Logs come line by line, so each line of a secret is hidden too. Short lines are not: they are in every text.
        """
        lines = [line.strip() for line in secret.splitlines()]
        parts = [secret, *(line for line in lines if len(line) > 7 or len(lines) == 1)]
        self.secrets += [part for part in parts if len(part) > 3 and part not in self.secrets]

    def masked(self, value: Any) -> Any:
        """The value without the secrets that this session was given."""
        if isinstance(value, str):
            for secret in self.secrets:
                value = value.replace(secret, "\u2022\u2022\u2022\u2022")
            return value
        if is_object(value):
            return {self.masked(key): self.masked(inner) for key, inner in value.items()}
        if is_list(value):
            return [self.masked(inner) for inner in value]
        return value

    def take(self) -> tuple[list[Event], int]:
        """The next batch and its size. The lock is held."""
        events: list[Event] = []
        size = 0
        # A batch that is too large would be refused, and the session would end for it.
        while self.waiting and (not events or size + self.waiting[0][1] <= MOST_PER_BATCH):
            event, own = self.waiting.popleft()
            size += own
            events.append(event)
        self.taken += len(events)
        return joined(events), size

    def partials(self) -> list[Event]:
        """Unfinished lines, so that a prompt or a progress bar shows; they are sent again when they are whole."""
        texts = ((tag, lines.partial()) for tag, lines in self.unfinished)
        return [{"kind": "partial", "tag": tag, "text": self.masked(text)} for tag, text in texts if text is not None]

    def post_forever(self) -> None:
        """Until closed and empty. Raises Ended, or Unreachable when the server was away too long."""
        while True:
            with self.changed:
                if not self.waiting and not self.closed:
                    self.changed.wait(PARTIAL_AFTER)
                if not self.waiting and self.closed:
                    return
                if self.waiting:
                    self.lingering_since = time.monotonic()
                    self.linger()
                events, size = self.take()
                self.is_urgent = False
            if not events:
                events = self.partials()
                if not events:
                    continue
            self.post(events)
            with self.changed:
                self.held = max(0, self.held - size)
                self.unsent.acknowledge(self.taken)
                self.changed.notify_all()
            if size < MOST_PER_BATCH // 8:
                # Wait a little before the next small batch: a request for every line would keep both ends busy.
                with self.changed:
                    self.changed.wait_for(lambda: self.is_urgent, LINGER)

    def post(self, events: list[Event]) -> None:
        try:
            self.send(events)
        except Stuck:
            # Node code sent something that the server cannot store. What it used is charged all the same.
            self.send([event for event in events if event["kind"] in OWN] or [EMPTY])
            raise Ended("The session was ended: the server could not store its messages.") from None

    def send(self, events: list[Event]) -> None:
        with self.changed:
            self.unsent.begin_batch(self.number + 1, self.number + len(events), self.taken)
        text = json.dumps({"first": self.number + 1, "events": events}, ensure_ascii=False)
        body = text.encode("utf-8", "replace")

        def post() -> tuple[int, bytes]:
            # With our clock at each try: the server learns how old the samples are, though its clock may differ.
            return self.connection.request("POST", f"{self.path}?clock={time.monotonic():.3f}", body)

        self.retry(post, STUCK_AFTER)
        self.number += len(events)

    def retry(self, request: Callable[[], tuple[int, bytes]], patience: float = float("inf")) -> bytes:
        """Repeats a request until it is answered. Raises Ended, Stuck or Unreachable when it never will be."""
        pause = 0.05
        began = time.monotonic()
        while True:
            try:
                status, body = request()
                if status < 300:
                    self.reached_at = time.monotonic()
                    return body
                now = time.monotonic()
                if status == FULL_DISK:
                    # It is there, and takes this when it has room again.
                    self.reached_at = began = now
                # Other requests are answered while this one fails: the fault is in what we send.
                if status >= 500 and now - began > patience and now - self.reached_at < patience / 2:
                    raise Stuck
                if status in (401, 403, 404, 410):
                    raise Ended(body.decode("utf-8", "replace"))
                if status in (400, 413):
                    raise Ended(f"The server refused the agent's message: {body[:500]!r}")
            except Unreachable:
                pass
            if time.monotonic() - self.reached_at > self.give_up_after:
                raise Unreachable("no server")
            time.sleep(pause)
            pause = min(pause * 1.6, 2.0)

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()


def joined(events: list[Event]) -> list[Event]:
    """Lines of one level and one node that follow each other become one text."""
    found: list[Event] = []
    for source, group in groupby(events, source_of):
        lines = list(group)
        if source is None or len(lines) == 1:
            found += lines
        else:
            found.append({**lines[0], "text": "\n".join(line["text"] for line in lines)})
    return found


def source_of(event: Event) -> tuple[int, int | None] | None:
    return (event["tag"], event["node"]) if event["kind"] == "log" else None
