"""
How the worker and its lanes talk: frames of a four-byte length, a kind and a body, as on the worker's own channel. A
frame of the kind CONTROL is ours: a tuple in marshal, perhaps with an open file beside it.
"""

from __future__ import annotations

import array
import marshal
import socket
import threading
from collections import deque
from typing import Any

from ..output.streams import EVENT, LARGEST_EVENT, LARGEST_FRAME, NODE, RECORD, STDERR, STDOUT, Channel

#: Beside those of the channel: EVENT, STDOUT, STDERR, RECORD, NODE.
CONTROL, WITH_FILE = 5, 6
READ = 1 << 18
#: The largest body of a frame in bytes, by its kind. Node code may write here too: it must not fill the other's memory,
#: nor have everything that follows taken for the rest of a frame that never ends.
LARGEST = {
    EVENT: LARGEST_EVENT,
    STDOUT: LARGEST_FRAME,
    STDERR: LARGEST_FRAME,
    RECORD: 11 << 20,
    NODE: 8,
    CONTROL: 64 << 20,
    WITH_FILE: 64 << 20,
}
#: One frame brings one file, and a read ends behind it.
CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
FILE_SPACE = socket.CMSG_SPACE(array.array("i").itemsize) if hasattr(socket, "CMSG_SPACE") else 0

Message = tuple[Any, ...]


def framed(kind: int, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + bytes((kind,)) + body


class LaneChannel(Channel):
    """A lane's end: what its node code prints goes the same way as what it reports, so the order is kept."""

    def __init__(self, link: socket.socket) -> None:
        super().__init__(link.fileno())
        self.link = link

    def control(self, message: Message, file: int | None = None) -> None:
        body = marshal.dumps(message)
        if file is None:
            self.frame(CONTROL, body)
            return
        data = framed(WITH_FILE, body)
        with self.lock:
            # The file goes with the first byte; the reader takes both together.
            sent = socket.send_fds(self.link, [data], [file])
            rest = memoryview(data)[sent:]
            while rest:
                rest = rest[self.link.send(rest) :]


class Reader:
    """Reads frames, each with the file that came with it."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.data = bytearray()
        self.at = 0
        self.files: deque[int] = deque()

    def read(self, flags: int = 0) -> list[tuple[int, bytes, int | None]] | None:
        """The frames that are complete after one read. None when the other end is gone."""
        data, ancillary, _, _ = self.link.recvmsg(READ, FILE_SPACE, flags | CLOSE_ON_EXEC)
        if not data:
            return None
        for _, _, given in ancillary:
            self.files.extend(array.array("i", given[: len(given) - len(given) % 4]))
        self.data += data
        return self.frames()

    def frames(self) -> list[tuple[int, bytes, int | None]]:
        found: list[tuple[int, bytes, int | None]] = []
        data, at = self.data, 0
        while len(data) - at >= 5:
            size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4]
            if size > LARGEST.get(kind, -1):
                raise ValueError(f"a frame of {size:,} bytes of the kind {kind}")
            end = at + 5 + size
            if len(data) < end:
                break
            file = self.files.popleft() if kind == WITH_FILE and self.files else None
            found.append((kind, bytes(data[at + 5 : end]), file))
            at = end
        if at:
            del data[:at]
        return found


class Sender:
    """
    The worker's end. A lane whose code holds Python's lock reads nothing, and the worker must not wait for it: what the
    socket does not take is sent by a thread of its own.
    """

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.lock = threading.Lock()
        self.waiting: deque[tuple[bytes, int | None]] = deque()
        self.changed = threading.Condition(self.lock)
        self.has_thread = False
        self.is_closed = False

    def send(self, message: Message, file: int | None = None) -> None:
        """Closes the file when it is sent."""
        data = framed(CONTROL if file is None else WITH_FILE, marshal.dumps(message))
        with self.lock:
            if self.is_closed:
                close(file)
                return
            if not self.waiting and file is None:
                try:
                    sent = self.link.send(data, socket.MSG_DONTWAIT)
                except BlockingIOError:
                    sent = 0
                except OSError:
                    # It has ended; its reader notices.
                    return
                if sent == len(data):
                    return
                data = data[sent:]
            self.waiting.append((data, file))
            if not self.has_thread:
                self.has_thread = True
                threading.Thread(target=self.send_rest, daemon=True, name="miranda-send").start()
            self.changed.notify_all()

    def send_rest(self) -> None:
        while True:
            with self.lock:
                while not self.waiting and not self.is_closed:
                    self.changed.wait()
                if self.is_closed:
                    return
                data, file = self.waiting[0]
            try:
                sent = self.link.send(data) if file is None else socket.send_fds(self.link, [data], [file])
                rest = memoryview(data)[sent:]
                while rest:
                    rest = rest[self.link.send(rest) :]
            except OSError:
                self.close()
                return
            with self.lock:
                if self.waiting:
                    self.waiting.popleft()
            close(file)

    def close(self) -> None:
        with self.lock:
            self.is_closed = True
            for _, file in self.waiting:
                close(file)
            self.waiting.clear()
            self.changed.notify_all()


def close(file: int | None) -> None:
    import os

    if file is not None:
        try:
            os.close(file)
        except OSError:
            pass


__all__ = ["CONTROL", "NODE", "WITH_FILE", "LaneChannel", "Message", "Reader", "Sender"]
