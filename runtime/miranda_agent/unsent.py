"""
The events that the server has not acknowledged yet, in two files of the agent's own folder: when the agent is killed,
the server reads them there. The kernel keeps what was written, so nothing is synced: only a machine that loses its
power loses these. The files are opened before there is any worker, and no path is opened afterwards.

Each line is an event, or the numbers of a batch (`@<first> <last> <events up to its end>`), or, at the beginning and
after a gap, where it goes on (`#<events before it> <lines of the log before it>` and the last batch).
A reader takes the events after the last batch that the server has: server/features/processors/agent/unsent-events.ts.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message_types import Event

NAMES = ("unsent-a", "unsent-b")
#: After so many bytes the other file is used, so that this one can be emptied.
SWITCH_AT = 4 << 20
#: A file with acknowledged events alone is emptied from here on: for each small batch it would cost too much.
EMPTY_AT = 64 << 10
#: More than the outbox holds by far. What does not fit is missing when the agent is killed.
MOST = 32 << 20


def open_files(folder: str) -> list[int]:
    """Without a folder there are none: in a container node code has the agent's account."""
    opened: list[int] = []
    for name in NAMES if folder else ():
        path = os.path.join(folder, name)
        try:
            # Of an agent that was launched before for this session.
            os.unlink(path)
        except FileNotFoundError:
            pass
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        opened.append(os.open(path, flags, 0o600))
    return opened


class Unsent:
    def __init__(self, files: list[int]) -> None:
        # Not above: the worker would start that much later.
        from json import JSONEncoder

        self.encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        self.files = [File(fd) for fd in files]
        #: Events and lines of the log so far.
        self.count = self.lines = 0
        #: The last batch: its first and last number, and how many events there were up to its end.
        self.batch = (1, 0, 0)

    def add(self, event: Event) -> None:
        """Called in the order in which events are sent."""
        if not self.files:
            return
        current, other = self.files
        if current.size > SWITCH_AT and other.size == 0:
            self.files = [other, current]
            current = other
        first, last, events = self.batch
        heading = "" if current.is_whole else f"#{self.count} {self.lines} {first} {last} {events}\n"
        self.count += 1
        if event["kind"] == "log":
            self.lines += event["text"].count("\n") + 1
        current.write(heading + self.encode(event), self.count)

    def begin_batch(self, first: int, last: int, events: int) -> None:
        """`events`: how many of them are in this batch or in those before."""
        self.batch = (first, last, events)
        if self.files and self.files[0].is_whole:
            self.files[0].write(f"@{first} {last} {events}", self.files[0].end)

    def acknowledge(self, events: int) -> None:
        """The server has all events up to there."""
        for file in self.files:
            if file.end <= events and (file is not self.files[0] or file.size > EMPTY_AT):
                file.empty()


class File:
    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.size = 0
        #: How many events there were when the last one in it was written.
        self.end = 0
        #: Whether it ends with a whole line and misses nothing since its last heading.
        self.is_whole = False

    def write(self, text: str, end: int) -> None:
        # Behind half a line a new one begins.
        data = (f"{text}\n" if self.is_whole else f"\n{text}\n").encode("utf-8", "replace")
        self.is_whole = False
        self.end = end
        if self.size + len(data) > MOST:
            return
        try:
            written = os.write(self.fd, data)
        except OSError:
            # A full disk must not end the session: these events are missing here, and sent all the same.
            return
        self.size += written
        self.is_whole = written == len(data)

    def empty(self) -> None:
        try:
            os.ftruncate(self.fd, 0)
        except OSError:
            return
        self.size = 0
        self.is_whole = False
