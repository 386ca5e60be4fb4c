"""The worker's end of one lane: starts the process, passes on what it prints, and tells when it has ended."""

from __future__ import annotations

import json
import marshal
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from select import POLLIN, poll
from time import monotonic, sleep
from typing import Any

from ..output.streams import EVENT, NODE, RECORD, STDERR, STDOUT
from .lane_reports import NOTES_SIZE, NUMBERS, PLACE_SIGNAL, place_in
from .shared import nameless_file
from .wire import CONTROL, Message, Reader, Sender

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..execution.graph import NodeState
    from .lanes import Lanes

#: Written by code of ours, so it begins like this; anything else is passed on unread.
KIND = b'{"kind": "'
#: Numbers that are not needed any more are collected, and told beside something else or when there are many.
MOST_DROPPED = 1_000


class LaneEnded(Exception):
    """The process ended before it had answered."""


class JobFailed(Exception):
    """What a lane answers when something went wrong, in words."""


class Lane:
    def __init__(self, number: int, lanes: Lanes) -> None:
        self.number = number
        self.lanes = lanes
        self.is_alive = True
        #: What it was given to fire and has not ended, with how often; and what follows that in chains.
        self.open: dict[int, int] = {}
        self.reserved: set[int] = set()
        #: How many messages to fire it has not finished.
        self.tasks = 0
        #: The node that runs in it waits for its readers.
        self.blocked: NodeState | None = None
        #: The nodes that it was told of.
        self.nodes: set[int] = set()
        self.dropped: list[int] = []
        self.taken = 0
        self.jobs: dict[int, Callable[[Any, str, int | None], None]] = {}
        self.job = 0
        self.lock = threading.Lock()
        #: The node whose output comes.
        self.node = 0
        #: Where it is stuck, as it said last.
        self.waits: tuple[float, int, str] | None = None
        self.was_forced = False
        self.has_ended = threading.Event()
        self.pid, self.link, self.notes, self.raw = start(lanes)
        self.sender = Sender(self.link)
        threading.Thread(target=self.read, daemon=True, name=f"miranda-lane-{number}").start()

    @property
    def is_idle(self) -> bool:
        return self.is_alive and self.tasks == 0

    @property
    def current(self) -> int:
        """The node whose code runs now."""
        return int.from_bytes(os.pread(self.notes, 8, 0), "little")

    # To it

    def send(self, *message: Any, file: int | None = None) -> None:
        if len(self.dropped) > MOST_DROPPED:
            self.tell_dropped()
        self.sender.send(message, file)

    def drop(self, number: int) -> None:
        """It need not keep a value any more. Called whenever Python likes, so it does nothing but note it."""
        self.dropped.append(number)

    def tell_dropped(self) -> None:
        count = len(self.dropped)
        if count:
            numbers = self.dropped[:count]
            del self.dropped[:count]
            self.sender.send(("drop", numbers))

    def ask(self, then: Callable[[Any, str, int | None], None], name: str, *arguments: Any) -> None:
        """`then` gets the answer, what went wrong, and perhaps a file. Ended lanes answer too."""
        with self.lock:
            is_alive = self.is_alive
            self.job += 1
            job = self.job
            if is_alive:
                self.jobs[job] = then
        if not is_alive:
            then(None, ENDED, None)
            return
        self.send(name, job, *arguments)

    def call(self, name: str, *arguments: Any) -> Any:
        """Waits for the answer."""
        done = threading.Event()
        found: list[Any] = []

        def then(answer: Any, error: str, file: int | None) -> None:
            found[:] = [answer, error]
            done.set()

        self.ask(then, name, *arguments)
        done.wait()
        if found[1] == ENDED:
            raise LaneEnded
        if found[1]:
            raise JobFailed(found[1])
        return found[0]

    def place(self, fresh: float) -> tuple[int, str]:
        """In which line of the node it is, and in which function: as it said within these seconds, else by force."""
        if self.waits is not None and monotonic() - self.waits[0] < fresh:
            return self.waits[1:]
        # A handler in C answers also while something holds Python's lock.
        os.pwrite(self.notes, bytes(NOTES_SIZE - NUMBERS), NUMBERS)
        os.lseek(self.notes, NUMBERS, os.SEEK_SET)
        os.kill(self.pid, PLACE_SIGNAL)
        sleep(0.05)
        written = os.pread(self.notes, NOTES_SIZE, NUMBERS).split(b"\0", 1)[0].decode("utf-8", "replace")
        return place_in(written, self.current)

    def wait_end(self) -> None:
        self.has_ended.wait()

    def kill(self) -> None:
        """With everything that it started."""
        for number in (self.pid, -self.pid):
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                pass

    # From it

    def read(self) -> None:
        reader = Reader(self.link)
        waiting = poll()
        link, process = self.link.fileno(), process_file(self.pid)
        for fd in (link, process, *self.raw):
            if fd >= 0:
                waiting.register(fd, POLLIN)
        try:
            while True:
                ready = [fd for fd, _ in waiting.poll()]
                if link in ready:
                    frames = reader.read()
                    if frames is None:
                        break
                    self.take_all(frames)
                for fd in self.raw:
                    if fd in ready and not self.pass_raw(fd):
                        waiting.unregister(fd)
                if ready == [process]:
                    # What it started may hold the link open.
                    break
        except OSError:
            pass
        except ValueError as error:
            # Node code wrote to the link itself: what comes after that cannot be read.
            self.lanes.channel.text(RECORD, b"\3" + f"The link of a process is broken: {error}.".encode(), self.node)
            self.kill()
        if process >= 0:
            os.close(process)
        self.end()

    def take_all(self, frames: list[tuple[int, bytes, int | None]]) -> None:
        for kind, body, file in frames:
            try:
                self.take(kind, body, file)
            except Exception as error:
                # Node code may write there too.
                self.lanes.channel.text(RECORD, b"\3" + f"{type(error).__name__}: {error}".encode(), self.node)

    def pass_raw(self, fd: int) -> bool:
        """What child processes and C code print."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return True
        if data:
            kind = STDOUT if fd == self.raw[0] else STDERR
            self.lanes.channel.text(kind, data, self.current or self.node)
        return bool(data)

    def pass_all_raw(self) -> None:
        for fd in self.raw:
            try:
                while data := os.read(fd, 1 << 16):
                    kind = STDOUT if fd == self.raw[0] else STDERR
                    self.lanes.channel.text(kind, data, self.node)
            except OSError:
                pass

    def take(self, kind: int, body: bytes, file: int | None) -> None:
        channel = self.lanes.channel
        if kind == NODE:
            self.node = int.from_bytes(body, "big")
        elif kind in (STDOUT, STDERR, RECORD):
            channel.text(kind, body, self.node)
        elif kind == EVENT:
            if body[: len(KIND)] == KIND and body[len(KIND) : len(KIND) + 24].partition(b'"')[0] in SPECIAL:
                self.lanes.on_event(self, json.loads(body), body)
            else:
                channel.frame(EVENT, body)
        else:
            message: Message = marshal.loads(body)
            if message[0] == "answer":
                self.pass_all_raw()
                _, job, answer, error = message
                with self.lock:
                    then = self.jobs.pop(job, None)
                if then is not None:
                    then(answer, error, file)
            elif message[0] == "waits":
                self.waits = (monotonic(), *message[2:])
            else:
                if message[0] == "batch" and message[1][-1][0] == "idle":
                    self.pass_all_raw()
                self.lanes.on_message(self, message)

    def end(self) -> None:
        # What it started must not outlive it: nobody would count or stop it.
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            pass
        _, status = os.waitpid(self.pid, 0)
        self.pass_all_raw()
        written = os.pread(self.notes, NOTES_SIZE, NUMBERS).split(b"\0", 1)[0]
        node, report = self.current, written.decode("utf-8", "replace")
        with self.lock:
            self.is_alive = False
            jobs, self.jobs = list(self.jobs.values()), {}
        self.sender.close()
        self.link.close()
        for fd in (*self.raw, self.notes):
            os.close(fd)
        self.lanes.on_end(self, status, node, report)
        for then in jobs:
            then(None, ENDED, None)
        self.has_ended.set()


ENDED = "The process ended."
#: The kinds of events that the worker itself has to know of.
SPECIAL = frozenset((b"break", b"resumed", b"secret", b"file", b"ask_password", b"withdraw", b"lane failed"))


def start(lanes: Lanes) -> tuple[int, socket.socket, int, tuple[int, int]]:
    """Forks the process. Only in the worker's main thread: when the thread that forked ends, so does the process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    notes = nameless_file(NOTES_SIZE)
    os.ftruncate(notes, NOTES_SIZE)
    (out, out_writer), (err, err_writer) = os.pipe(), os.pipe()
    for fd in (out, err):
        os.set_blocking(fd, False)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            # The worker's own handler would keep this process, and what node code forks from it, from ending.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.dup2(out_writer, 1)
            os.dup2(err_writer, 2)
            # Also that of sys.stdin: multiprocessing closes it, and the number could be another file's by then.
            close_others({0, 1, 2, *number_of(sys.stdin), theirs.fileno(), notes, *lanes.token.numbers})
            lanes.base.restore()
            from .lane_process import LaneProcess

            LaneProcess(theirs, notes, lanes.token, lanes.folder).serve(parent)
        except BaseException:
            import traceback

            os.write(2, traceback.format_exc().encode("utf-8", "replace"))
        finally:
            os._exit(70)
    theirs.close()
    os.close(out_writer)
    os.close(err_writer)
    return pid, ours, notes, (out, err)


def number_of(file: Any) -> list[int]:
    try:
        return [file.fileno()]
    except (AttributeError, OSError, ValueError):
        return []


def process_file(pid: int) -> int:
    """Tells when the process has ended. -1 where containers forbid it: then the end of the link has to do."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1


def close_others(kept: set[int]) -> None:
    """The worker's own channel and the other lanes are no business of node code."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass


__all__ = ["CONTROL", "JobFailed", "Lane", "LaneEnded"]
