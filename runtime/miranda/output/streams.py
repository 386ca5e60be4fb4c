"""
The worker's end of its channel to the agent, and the streams that node code prints to.

Everything Python prints, logs or reports goes through one channel, so its order is kept; prints are buffered in large
pieces, and a timer sends what is left over, so that bulk output is fast and a single line is still live.
"""

from __future__ import annotations

import io
import json
import os
import threading
from _thread import get_ident
from collections.abc import Callable
from typing import Any

EVENT, STDOUT, STDERR, RECORD, NODE = 0, 1, 2, 3, 4
FLUSH_EVERY = 0.03
#: How many looks of the timer an unfinished line stays unsent, while other threads print too.
QUIET_TICKS = 10
#: The agent ends a session that writes larger frames: see miranda_agent/protocol.py.
LARGEST_FRAME = 1 << 20
LARGEST_RECORD = 10 << 20
LARGEST_EVENT = 16 << 20
FLOOD = 50
LARGEST_GATHERED = 1 << 15
#: Before each line of a thread that has outlived the run of its node.
LATE = "[late] "


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

    def text(self, kind: int, body: bytes, node: int | None = None) -> None:
        """Output, after the node it is of where that is another than before."""
        with self.lock:
            node = self.node() if node is None else node
            if node != self.told_node:
                self.told_node = node
                self.frame(NODE, node.to_bytes(8, "big"))
            self.frame(kind, body)

    def event(self, event: dict[str, Any]) -> None:
        body = json.dumps(event).encode()
        if len(body) > LARGEST_EVENT:
            raise ValueError(f"This event is too large to send: {len(body):,} bytes.")
        self.frame(EVENT, body)


class Pipe(io.RawIOBase):
    """What lies under sys.stdout and sys.stderr."""

    def __init__(self, channel: Channel, kind: int, before: Any = None, node: int | None = None) -> None:
        self.channel = channel
        self.kind = kind
        self.before = before
        #: The node that owns the stream; None when output belongs to the node that writes it.
        self.node = node
        self.writes = 0
        #: Where what is written goes instead, while a stream becomes shared.
        self.caught: bytearray | None = None

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
        if self.caught is not None:
            self.caught += data
            return len(data)
        if self.before is not None:
            self.before()
        self.send(bytes(data), self.node)
        return len(data)

    def send(self, body: bytes, node: int | None) -> None:
        self.writes += 1
        for start in range(0, len(body), LARGEST_FRAME):
            self.channel.text(self.kind, body[start : start + LARGEST_FRAME], node)


class OwnText:
    """What one thread prints while others do too. It goes on in whole lines, so that no line has two threads in it."""

    def __init__(self, streams: Streams, kind: int, thread: int, node: int) -> None:
        self.streams = streams
        self.thread = thread
        self.pipe = Pipe(streams.channel, kind, None if kind == STDOUT else streams.stdout.flush, node)
        self.lock = threading.Lock()
        self.parts: list[str] = []
        self.size = 0
        #: How often something was written, and what the timer saw of that.
        self.writes = 0
        self.seen_writes = 0
        self.quiet_ticks = 0

    def write(self, text: str) -> int:
        with self.lock:
            self.parts.append(text)
            self.size += len(text)
            self.writes += 1
            is_due = "\n" in text if self.streams.is_live else self.size > LARGEST_GATHERED
        if is_due:
            self.send(False)
        return len(text)

    def send(self, with_rest: bool) -> None:
        with self.lock:
            text = "".join(self.parts)
            end = len(text) if with_rest else text.rfind("\n") + 1
            if end == 0 and self.size > LARGEST_GATHERED:
                end = len(text)
            self.parts = [text[end:]] if end < len(text) else []
            self.size = len(text) - end
            if end:
                whole = text[:end]
                if self.thread in self.streams.late:
                    whole = LATE + whole.rstrip("\n").replace("\n", f"\n{LATE}") + whole[len(whole.rstrip("\n")) :]
                self.pipe.write(whole.encode("utf-8", "backslashreplace"))

    def tick(self) -> None:
        """
        Sends the whole lines, and an unfinished line when its thread has written nothing for a while. `print` writes a
        line in several parts: a thread that waits for its turn between two of them has not finished its line.
        """
        self.quiet_ticks = self.quiet_ticks + 1 if self.writes == self.seen_writes else 0
        self.seen_writes = self.writes
        self.send(self.quiet_ticks >= QUIET_TICKS)


class Stream(io.TextIOBase):
    """
    What node code finds as sys.stdout or sys.stderr. Its `write` is that of the text below it, so it costs nothing: it
    is another only while several threads print at the same time.
    """

    mode = "w"

    def __init__(self, streams: Streams, kind: int) -> None:
        self.streams = streams
        self.kind = kind
        before = None if kind == STDOUT else streams.stdout.flush
        self.pipe = Pipe(streams.channel, kind, before)
        self.common = io.TextIOWrapper(
            io.BufferedWriter(self.pipe, 1 << 16 if kind == STDOUT else 1 << 13),
            encoding="utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )
        self.own: dict[tuple[int, int], OwnText] = {}
        self.write = self.common.write  # type: ignore[method-assign]

    def share(self, thread: int, node: int) -> None:
        """From here on each thread has its own text. A line that the only one so far has begun goes on in its own."""
        own = self.text_of(thread, node)
        with own.lock:
            self.write = self.write_own  # type: ignore[method-assign]
            caught = self.pipe.caught = bytearray()
            self.flush_common()
            self.pipe.caught = None
            end = caught.rfind(b"\n") + 1
            self.pipe.send(bytes(caught[:end]), node)
            rest = caught[end:].decode("utf-8", "replace")
            own.parts.insert(0, rest)
            own.size += len(rest)

    def end_sharing(self) -> None:
        self.write = self.common.write  # type: ignore[method-assign]
        self.flush_all()
        self.own.clear()

    def text_of(self, thread: int, node: int) -> OwnText:
        own = self.own.get((thread, node))
        if own is None:
            own = self.own[thread, node] = OwnText(self.streams, self.kind, thread, node)
        return own

    def write_own(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if os.getpid() != self.streams.channel.owner:
            # In a fork another thread may have held a lock of ours, and nobody would ever let go of it.
            return self.common.write(text)
        return self.text_of(get_ident(), self.streams.channel.node()).write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush_common(self) -> None:
        try:
            self.common.flush()
        except (ValueError, RuntimeError):
            # Closed by node code, or interrupted in the middle of a write of its own: the next flush has it.
            pass

    def flush(self) -> None:
        self.flush_common()
        thread = get_ident()
        for key, own in list(self.own.items()):
            if key[0] == thread:
                own.send(True)

    def flush_all(self) -> None:
        self.flush()
        for own in list(self.own.values()):
            own.send(True)

    def tick(self) -> None:
        self.flush()
        for own in list(self.own.values()):
            own.tick()

    def forget(self, thread: int) -> None:
        for key in [key for key in list(self.own) if key[0] == thread]:
            own = self.own.pop(key, None)
            if own is not None:
                own.send(True)

    def take_writes(self) -> int:
        """How often something was handed on since the last time."""
        writes = 0
        for pipe in (self.pipe, *(own.pipe for own in list(self.own.values()))):
            writes += pipe.writes
            pipe.writes = 0
        return writes

    def reconfigure(self, **options: Any) -> None:
        self.common.reconfigure(**options)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.pipe.fileno()

    def isatty(self) -> bool:
        return False

    @property
    def buffer(self) -> Any:
        return self.pipe if self.streams.is_shared else self.common.buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return "backslashreplace"

    @property
    def line_buffering(self) -> bool:
        return self.common.line_buffering

    @property
    def name(self) -> str:
        return "<stdout>" if self.kind == STDOUT else "<stderr>"


class Streams:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.is_live = True
        self.is_shared = False
        #: The thread that prints, and the node it prints for, while there is only one.
        self.alone: tuple[int, int] = (0, 0)
        #: Threads whose node has returned from its run.
        self.late: set[int] = set()
        self.lock = threading.Lock()
        self.stdout = Stream(self, STDOUT)
        self.stderr = Stream(self, STDERR)

    def share(self) -> None:
        """From here on several threads may print at the same time."""
        with self.lock:
            if not self.is_shared:
                self.is_shared = True
                for stream in (self.stdout, self.stderr):
                    stream.share(*self.alone)

    def end_sharing(self) -> None:
        """Only when nobody can be in the middle of a line."""
        with self.lock:
            if self.is_shared:
                self.is_shared = False
                for stream in (self.stdout, self.stderr):
                    stream.end_sharing()

    def forget(self, thread: int) -> None:
        for stream in (self.stdout, self.stderr):
            stream.forget(thread)
        self.late.discard(thread)

    def flush(self) -> None:
        self.stdout.flush()
        self.stderr.flush()

    def flush_all(self) -> None:
        self.stdout.flush_all()
        self.stderr.flush_all()

    def tick(self) -> None:
        """
        Called by the timer. A little output is sent line by line, so that a crash loses none of it; a flood is
        collected. The number of writes since the last tick decides which of the two.
        """
        self.stdout.tick()
        self.stderr.tick()
        writes = self.stdout.take_writes()
        is_live = writes <= FLOOD if self.is_live else writes <= 1
        if is_live != self.is_live:
            # False as long as anything may be buffered: code that relies on it would leave output behind.
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
