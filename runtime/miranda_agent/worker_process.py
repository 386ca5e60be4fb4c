"""Starts the worker and reads its output."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import termios
import threading
import time

from .crash_notes import PLACE, make_notes, read_notes
from .frames import NODE, READ, RECORD, STDERR, STDOUT, Violation, read_frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .sandbox import Sandbox

    OnText = Callable[[str, int, bytes], None]

TAGS = {STDOUT: 0, STDERR: 2}
MOST_UNSENT = 1 << 20
LARGEST_NODE = (1 << 53) - 1
#: Where the worker finds the socket by which it hands over where it listens: tracking/door.py.
CONTROL = 8
SETTLING = 2.0

# Hello before any import: the interpreter is up, and commands wait in the pipe until the rest is.
BOOTSTRAP = """
import os, sys
os.write(4, b"\\x00\\x00\\x00\\x10\\x00" + b'{{"kind":"hello"}}')
os.chdir({folder!r})
sys.path.insert(0, {runtime!r})
from miranda.worker.session import Session
Session(3, 4, {folder!r}).serve()
"""

KEPT = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
KEPT_BEGINNINGS = ("LC_", "PIP_", "UV_", "NVIDIA_")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir", "requests_ca_bundle")


def environment(given: dict[str, str], extra: dict[str, str]) -> dict[str, str]:
    """What node code may know of the machine's environment: never the server's own settings."""
    kept = {
        name: value
        for name, value in given.items()
        if name in KEPT or name.startswith(KEPT_BEGINNINGS) or name.lower() in PROXIES
    }
    # First of all the mark by which the server finds what is left of a job: it reads no more than the beginning.
    return {**extra, **kept, **extra}


def high(fd: int) -> int:
    """Out of the way of the numbers that the worker expects: a descriptor put on itself would be closed."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(fd)
    return moved


def high_pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    return high(reader), high(writer)


def high_sockets() -> tuple[int, int]:
    # Not `socket`: importing it takes longer than everything else before the worker is launched.
    from _socket import AF_UNIX, SOCK_STREAM, socketpair

    ours, theirs = socketpair(AF_UNIX, SOCK_STREAM)
    return high(ours.detach()), high(theirs.detach())


def start_worker(settings: dict[str, str], sandbox: Sandbox) -> Worker:
    extra = {"MIRANDA_JOB": settings["job"], "MIRANDA_STORAGE": settings["storage"], "PYTHONUNBUFFERED": ""}
    extra["MIRANDA_DISK_BYTES"] = settings["disk_bytes"]
    extra["MIRANDA_PARALLEL"] = settings.get("parallel", "")
    extra["MIRANDA_RESULT_BYTES"] = settings.get("result_bytes", "")
    extra["MIRANDA_PROJECT"] = settings.get("project", "")
    if sandbox:
        # Without a sandbox other programs run under the same account, and would count.
        extra["MIRANDA_PROCESSES"] = settings["processes"]
    else:
        # In a sandbox the worker's parent is the sandbox's own program, which ends with us.
        extra["MIRANDA_PARENT"] = str(os.getpid())
    worker = Worker(sandbox, settings["python"], settings["runtime"], settings["folder"], extra)
    if "contained" in settings:
        from .processes import memory_kills, prefer_to_kill

        prefer_to_kill(worker.pid)
        worker.known_kills = memory_kills()
    return worker


class Worker:
    def __init__(self, sandbox: Sandbox, python: str, runtime: str, folder: str, extra: dict[str, str]) -> None:
        (commands, self.commands), (self.channel, channel) = high_pipe(), high_pipe()
        (self.out, out), (self.err, err) = high_pipe(), high_pipe()
        self.control, control = high_sockets()
        #: For node code's MLflow client: it ends with this worker, and is worth something at our own door only.
        self.tracking_token = os.urandom(24).hex()
        nothing = high(os.open(os.devnull, os.O_RDONLY))
        self.notes = high(make_notes())
        # A copy: ours stays open, so that it can be read when the worker is gone.
        notes = fcntl.fcntl(self.notes, fcntl.F_DUPFD_CLOEXEC, 20)
        places = [(nothing, 0), (out, 1), (err, 2), (commands, 3), (channel, 4), (control, CONTROL), (notes, PLACE)]
        arguments = [python, "-I", "-X", "utf8", "-c", BOOTSTRAP.format(folder=folder, runtime=runtime)]
        env = environment(dict(os.environ), {**extra, "MLFLOW_TRACKING_TOKEN": self.tracking_token})
        child, self.network = sandbox.launch("worker", arguments, env, places)
        self.pid = child.pid
        for fd, _ in places:
            os.close(fd)
        # Imported after the worker was launched: it would start 2 ms later.
        from collections import deque

        self.changed = threading.Condition()
        self.lines: deque[bytes] = deque()
        self.unsent = 0
        self.is_closed = False
        self.taking = threading.RLock()
        self.readers: list[threading.Thread] = []
        #: The node whose output comes over the channel.
        self.node = 0
        #: How often the kernel had ended a process of this container for its memory when this worker started.
        self.known_kills: int | None = None

    def send(self, line: bytes, is_patient: bool = False) -> None:
        """
        Does not wait for the worker to read: node code may keep it from reading, and the next command may be to stop.
        Answers to node code do wait (`is_patient`), or it could fill our memory with them.
        """
        with self.changed:
            while is_patient and self.unsent > MOST_UNSENT and not self.is_closed:
                self.changed.wait()
            if not self.is_closed:
                self.lines.append(line)
                self.unsent += len(line)
                self.changed.notify_all()

    def write_lines(self) -> None:
        while True:
            with self.changed:
                while not self.lines and not self.is_closed:
                    self.changed.wait()
                if self.is_closed:
                    return
                view = memoryview(self.lines[0])
            try:
                while view:
                    view = view[os.write(self.commands, view) :]
            except OSError:
                # It has ended; the supervisor waits for it and reports it.
                return
            with self.changed:
                self.unsent -= len(self.lines.popleft())
                self.changed.notify_all()

    def read(
        self, on_frame: Callable[[int, bytes], None], on_text: OnText, on_violation: Callable[[str], None]
    ) -> None:
        """`on_text(source, kind, data)` for each piece of output, `on_frame` for everything else on the channel."""
        threading.Thread(target=self.write_lines, daemon=True).start()
        for target, args in (
            (self.read_channel, (on_frame, on_text, on_violation)),
            (self.read_raw, (self.out, STDOUT, on_text)),
            (self.read_raw, (self.err, STDERR, on_text)),
        ):
            thread = threading.Thread(target=target, args=args, daemon=True)
            thread.start()
            self.readers.append(thread)

    def read_raw(self, fd: int, kind: int, on_text: OnText) -> None:
        while True:
            select.select([fd], [], [])
            with self.taking:
                data = os.read(fd, READ)
                if not data:
                    return
                on_text("descriptor", kind, data)

    def settle(self, then: Callable[[], None]) -> None:
        """
        Waits until everything written to the descriptors so far has been taken, then calls `then` before anything more
        is: what a child process printed must not come after the news that its node has ended.
        """
        until = time.monotonic() + SETTLING
        while True:
            with self.taking:
                # Node code may write without end; the end of its run is reported all the same.
                if not any(unread(fd) for fd in (self.out, self.err)) or time.monotonic() > until:
                    return then()
            time.sleep(0.001)

    def read_channel(
        self, on_frame: Callable[[int, bytes], None], on_text: OnText, on_violation: Callable[[str], None]
    ) -> None:
        try:
            for kind, body in read_frames(self.channel):
                if kind in (STDOUT, STDERR, RECORD):
                    on_text("channel", kind, body)
                elif kind == NODE:
                    if len(body) != 8:
                        raise Violation("a node that is none")
                    self.node = int.from_bytes(body, "big") & LARGEST_NODE
                else:
                    on_frame(kind, body)
        except Exception as error:
            # Also for unexpected errors: a channel that nobody reads would leave the session waiting for ever.
            on_violation(str(error) if isinstance(error, Violation) else repr(error))
            # Later frames cannot be trusted. Read them all the same, or the process that writes them waits for ever.
            while os.read(self.channel, READ):
                pass

    def take_control(self) -> int:
        """Our end of the socket, for the one who closes it."""
        control, self.control = self.control, -1
        return control

    def last_notes(self) -> tuple[list[int], str]:
        return read_notes(self.notes)

    def close(self) -> None:
        """Waits for the worker's last output. Not for ever: another process may still hold a pipe open."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        for thread in self.readers:
            thread.join(2)
        if self.network is not None:
            self.network.end()
        os.close(self.commands)
        os.close(self.notes)
        for fd, thread in zip((self.channel, self.out, self.err), self.readers, strict=False):
            if not thread.is_alive():
                os.close(fd)


def unread(fd: int) -> bool:
    return fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"


def spawn(path: str, arguments: list[str], env: dict[str, str], places: list[tuple[int, int]]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, fd, place) for fd, place in places]
    # Python ignores broken pipes, and what it starts would inherit that: some programs take it for an error.
    options: dict[str, Any] = {"file_actions": actions, "setsigdef": [signal.SIGPIPE]}
    try:
        return os.posix_spawn(path, arguments, env, setsid=True, **options)
    except NotImplementedError:
        return os.posix_spawn(path, arguments, env, **options)


def close_for_children() -> None:
    """Whatever the agent was started with must not reach node code: a descriptor of somebody else's is a way out."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.set_inheritable(int(name), False)
        except OSError:
            continue
