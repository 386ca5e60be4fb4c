"""
Everything the agent has to tell, numbered, kept until the server has it. When it is full, whoever adds waits: the
readers stop reading, the worker's pipes fill and the worker waits; nothing is dropped.
"""

from __future__ import annotations

import collections
import json
import threading
import time

from .http import Connection, Unreachable

MOST_HELD = 8 << 20
MOST_PER_BATCH = 1 << 20
LINGER = 0.02
OWN = ("usage", "state")
#: How long a server that answers everything else may fail at one batch.
STUCK_AFTER = 60.0
PARTIAL_AFTER = 0.08


def is_more_of(last: dict, event: dict) -> bool:
    """Lines of one level and one node that follow each other are sent as one text."""
    return last["kind"] == "log" == event["kind"] and (last["tag"], last["node"]) == (event["tag"], event["node"])


class Ended(Exception):
    """The server does not know this job any more, or says that it has ended."""


class Stuck(Exception):
    """The server cannot take this, and takes everything else."""


#: A batch has at least one event.
EMPTY = {"kind": "partial", "tag": 0, "text": ""}


class Outbox:
    def __init__(self, connection: Connection, job: str, give_up_after: float) -> None:
        self.connection = connection
        self.path = f"/api/runner/{job}/events"
        self.give_up_after = give_up_after
        self.changed = threading.Condition()
        #: Each with its size.
        self.waiting: collections.deque[tuple[dict, int]] = collections.deque()
        self.held = 0
        #: Somebody waits for the end of a command: it is not gathered.
        self.is_urgent = False
        self.number = 0
        self.closed = False
        self.lines: list = []
        self.secrets: list[str] = []
        self.reached_at = time.monotonic()

    def add(self, event: dict, size: int = 200) -> None:
        with self.changed:
            # What we measure and decide ourselves never waits: node code could fill the outbox to be measured no more.
            while self.held > MOST_HELD and not self.closed and event["kind"] not in OWN:
                self.changed.wait()
            self.waiting.append((event, size))
            self.held += size
            self.is_urgent = self.is_urgent or event["kind"] == "done"
            self.changed.notify_all()

    def add_log(self, tag: int, text: str, node: int = 0) -> None:
        if self.secrets:
            text = self.masked(text)
        event = {"kind": "log", "tag": tag, "at": int(time.time() * 1000), "text": text, "node": node or None}
        self.add(event, len(text) + 100)

    def hide(self, secret: str) -> None:
        """Logs come line by line, so each line of a secret is one; short ones would hide half of what is said."""
        lines = [line.strip() for line in secret.splitlines()]
        parts = [secret, *(line for line in lines if len(line) > 7 or len(lines) == 1)]
        self.secrets += [part for part in parts if len(part) > 3 and part not in self.secrets]

    def masked(self, value):
        """A secret that was handed out never leaves again."""
        if isinstance(value, str):
            for secret in self.secrets:
                value = value.replace(secret, "\u2022\u2022\u2022\u2022")
            return value
        if isinstance(value, dict):
            return {self.masked(key): self.masked(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.masked(inner) for inner in value]
        return value

    def take(self) -> tuple[list[dict], int]:
        events: list[dict] = []
        size = 0
        # A batch that is too large would be refused, and the session would end for it.
        while self.waiting and (not events or size + self.waiting[0][1] <= MOST_PER_BATCH):
            event, own = self.waiting.popleft()
            size += own
            last = events[-1] if events else None
            if last is not None and is_more_of(last, event):
                last.setdefault("parts", [last["text"]]).append(event["text"])
            else:
                events.append(event)
        for event in events:
            if "parts" in event:
                event["text"] = "\n".join(event.pop("parts"))
        return events, size

    def partials(self) -> list[dict]:
        """Unfinished lines, told so that a prompt or a progress bar shows; they come again when they are whole."""
        told = []
        for tag, lines in self.lines:
            text = lines.partial()
            if text is not None:
                told.append({"kind": "partial", "tag": tag, "text": self.masked(text)})
        return told

    def post_forever(self) -> None:
        """Until closed and empty. Raises Ended, or Unreachable when the server was away too long."""
        while True:
            with self.changed:
                if not self.waiting and not self.closed:
                    self.changed.wait(PARTIAL_AFTER)
                if not self.waiting and self.closed:
                    return
                events, size = self.take()
                self.is_urgent = False
            if not events:
                events = self.partials()
                if not events:
                    continue
            self.post(events)
            with self.changed:
                self.held = max(0, self.held - size)
                self.changed.notify_all()
            if size < MOST_PER_BATCH // 8:
                # Small batches are gathered a little: a request for every line would keep both ends busy.
                with self.changed:
                    self.changed.wait_for(lambda: self.is_urgent, LINGER)

    def post(self, events: list[dict]) -> None:
        try:
            self.send(events)
        except Stuck:
            # Node code said something that the server cannot store. What it used is charged all the same.
            self.send([event for event in events if event["kind"] in OWN] or [EMPTY])
            raise Ended("The session was ended: the server could not store what it said.") from None

    def send(self, events: list[dict]) -> None:
        text = json.dumps({"first": self.number + 1, "events": events}, ensure_ascii=False)
        body = text.encode("utf-8", "replace")
        self.answer(lambda: self.connection.request("POST", self.path, body), STUCK_AFTER)
        self.number += len(events)

    def answer(self, ask, patience: float = float("inf")) -> bytes:
        """The answer to a request that is repeated until there is one."""
        pause = 0.05
        began = time.monotonic()
        while True:
            try:
                status, body = ask()
                if status < 300:
                    self.reached_at = time.monotonic()
                    return body
                now = time.monotonic()
                # Others are answered while this is not: it is not the server, it is what we say.
                if status >= 500 and now - began > patience and now - self.reached_at < patience / 2:
                    raise Stuck
                if status in (401, 403, 404, 410):
                    raise Ended(body.decode("utf-8", "replace"))
                if status in (400, 413):
                    raise Ended(f"The server refused what the agent had to say: {body[:500]!r}")
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
