"""
The worker's end of its channel to the agent, and the streams that node code prints to.

Everything Python prints, logs or reports goes through one channel, so its order is kept; prints are gathered in large
pieces, and a timer sends what is left over, so that bulk output is fast and a single line is still live.
"""

from __future__ import annotations

import io
import json
import os
import threading
from typing import Any, Callable

EVENT, STDOUT, STDERR, RECORD, NODE = 0, 1, 2, 3, 4
FLUSH_EVERY = 0.03
#: The agent ends a session that writes larger frames: see miranda_agent/protocol.py.
LARGEST_FRAME = 1 << 20
LARGEST_RECORD = 10 << 20
LARGEST_EVENT = 16 << 20
FLOOD = 50


class Channel:
    """Frames of a four-byte length, a kind and a body."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.lock = threading.RLock()
        self.owner = os.getpid()
        #: Whose code is running: what is printed now is its own.
        self.node: Callable[[], int] = lambda: 0
        self.told_node = 0

    def frame(self, kind: int, body: bytes) -> None:
        if os.getpid() != self.owner:
            # A fork shares the channel with its parent; two writers would tear each other's frames.
            return
        data = len(body).to_bytes(4, "big") + bytes((kind,)) + body
        with self.lock:
            view = memoryview(data)
            while view:
                view = view[os.write(self.fd, view) :]

    def text(self, kind: int, body: bytes) -> None:
        """Output, after the node it is of where that is another than before."""
        with self.lock:
            node = self.node()
            if node != self.told_node:
                self.told_node = node
                self.frame(NODE, node.to_bytes(8, "big"))
            self.frame(kind, body)

    def event(self, event: dict[str, Any]) -> None:
        body = json.dumps(event).encode()
        if len(body) > LARGEST_EVENT:
            raise ValueError(f"This is too large to be told: {len(body):,} bytes.")
        self.frame(EVENT, body)


class Pipe(io.RawIOBase):
    """What lies under sys.stdout and sys.stderr."""

    def __init__(self, channel: Channel, kind: int, before: Any = None) -> None:
        self.channel = channel
        self.kind = kind
        self.before = before
        self.writes = 0

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        # Child processes get the real descriptor, whose output the agent reads beside the channel.
        return 1 if self.kind == STDOUT else 2

    def isatty(self) -> bool:
        return False

    def write(self, data: Any) -> int:
        if os.getpid() != self.channel.owner:
            return os.write(self.fileno(), data)
        if self.before is not None:
            self.before()
        self.writes += 1
        body = bytes(data)
        for start in range(0, len(body), LARGEST_FRAME):
            self.channel.text(self.kind, body[start : start + LARGEST_FRAME])
        return len(body)


class Streams:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.pipe = Pipe(channel, STDOUT)
        self.is_live = True
        self.stdout = io.TextIOWrapper(
            io.BufferedWriter(self.pipe, 1 << 16), encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
        self.stderr = io.TextIOWrapper(
            io.BufferedWriter(Pipe(channel, STDERR, self.flush_stdout), 1 << 13),
            encoding="utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )

    def flush_stdout(self) -> None:
        try:
            self.stdout.flush()
        except (ValueError, RuntimeError):
            # Closed by node code, or interrupted in the middle of a write of its own: the next flush has it.
            pass

    def flush(self) -> None:
        self.flush_stdout()
        try:
            self.stderr.flush()
        except (ValueError, RuntimeError):
            pass

    def adapt(self) -> None:
        """
        A little output goes out line by line, so that a crash loses none of it; a flood is gathered. Called by the timer,
        it looks at what was written since the last time.
        """
        writes, self.pipe.writes = self.pipe.writes, 0
        is_live = writes <= FLOOD if self.is_live else writes <= 1
        if is_live != self.is_live:
            # False from before anything is gathered until after: whoever relies on it must not find something left.
            self.is_live = False
            try:
                self.stdout.reconfigure(line_buffering=is_live)
            except (ValueError, RuntimeError):
                pass
            self.is_live = is_live

    def record(self, level: int, text: str) -> None:
        """A line of `logging`, after everything printed before it."""
        self.flush()
        body = text.encode("utf-8", "backslashreplace")
        if len(body) > LARGEST_RECORD:
            body = body[:LARGEST_RECORD] + b" \xe2\x80\xa6 [%d bytes of this were cut]" % (len(body) - LARGEST_RECORD)
        self.channel.text(RECORD, bytes((level,)) + body)


DEFAULT, INFO, WARNING, ERROR, DEBUG = range(5)


def level_tag(level: int) -> int:
    if level >= 40:
        return ERROR
    if level >= 30:
        return WARNING
    return INFO if level >= 20 else DEBUG


def install_logging(streams: Streams) -> None:
    import logging

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            try:
                streams.record(level_tag(record.levelno), self.format(record))
            except Exception:
                self.handleError(record)

    handler = Handler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logging.captureWarnings(True)
    # Third-party packages are talkative at DEBUG; node code is not.
    for name in ("asyncio", "urllib3", "matplotlib", "PIL", "numba"):
        logging.getLogger(name).setLevel(logging.INFO)
