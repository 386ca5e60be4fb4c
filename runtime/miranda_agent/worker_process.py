"""Starts the worker and reads what comes out of it."""

from __future__ import annotations

import fcntl
import os
import select
import termios
import threading
import time

EVENT, STDOUT, STDERR, RECORD, NODE = 0, 1, 2, 3, 4
TAGS = {STDOUT: 0, STDERR: 2}
READ = 1 << 18

# Hello before any import: the interpreter is up, and commands wait in the pipe until the rest is.
BOOTSTRAP = """
import os, sys
os.write(4, b"\\x00\\x00\\x00\\x10\\x00" + b'{{"kind":"hello"}}')
os.chdir({folder!r})
sys.path[:0] = [{folder!r}, {runtime!r}]
from miranda.worker_session import Session
Session(3, 4).serve()
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
    return {**kept, **extra}


def high(fd: int) -> int:
    """Out of the way of the numbers that the worker expects: a descriptor put on itself would be closed."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(fd)
    return moved


class Worker:
    def __init__(self, python: str, runtime: str, folder: str, extra: dict[str, str], around: list[str]) -> None:
        ends = [tuple(high(fd) for fd in os.pipe()) for _ in range(4)]
        (commands, self.commands), (self.channel, channel), (self.out, out), (self.err, err) = ends
        nothing = high(os.open(os.devnull, os.O_RDONLY))
        places = [(nothing, 0), (out, 1), (err, 2), (commands, 3), (channel, 4)]
        arguments = [*around, python, "-I", "-X", "utf8", "-c", BOOTSTRAP.format(folder=folder, runtime=runtime)]
        self.pid = spawn(arguments[0], arguments, environment(dict(os.environ), extra), places)
        for fd, _ in places:
            os.close(fd)
        self.lock = threading.Lock()
        self.taking = threading.RLock()
        self.readers: list[threading.Thread] = []
        #: Whose output comes over the channel.
        self.node = 0

    def send(self, line: bytes) -> None:
        view = memoryview(line)
        with self.lock:
            try:
                while view:
                    view = view[os.write(self.commands, view) :]
            except OSError:
                # It has ended; its end is told by the one who waits for it.
                pass

    def read(self, on_event, on_text) -> None:
        """`on_text(source, kind, data)` for each piece of output, `on_event(bytes)` for each report."""
        for target, args in (
            (self.read_frames, (on_event, on_text)),
            (self.read_raw, (self.out, STDOUT, on_text)),
            (self.read_raw, (self.err, STDERR, on_text)),
        ):
            thread = threading.Thread(target=target, args=args, daemon=True)
            thread.start()
            self.readers.append(thread)

    def read_raw(self, fd: int, kind: int, on_text) -> None:
        while True:
            select.select([fd], [], [])
            with self.taking:
                data = os.read(fd, READ)
                if not data:
                    return
                on_text("descriptor", kind, data)

    def settle(self, then) -> None:
        """
        Waits until everything written to the descriptors so far has been taken, then calls `then` before anything more
        is: what a child process printed must not come after the news that its node has ended.
        """
        while True:
            with self.taking:
                if not any(unread(fd) for fd in (self.out, self.err)):
                    return then()
            time.sleep(0.001)

    def read_frames(self, on_event, on_text) -> None:
        buffer = b""
        while True:
            data = os.read(self.channel, READ)
            if not data:
                return
            buffer = buffer + data if buffer else data
            at, size = 0, len(buffer)
            while size - at >= 5:
                length = int.from_bytes(buffer[at : at + 4], "big")
                end = at + 5 + length
                if end > size:
                    break
                kind, body = buffer[at + 4], buffer[at + 5 : end]
                at = end
                if kind == EVENT:
                    on_event(body)
                elif kind == NODE:
                    self.node = int.from_bytes(body, "big")
                else:
                    on_text("channel", kind, body)
            buffer = buffer[at:]

    def close(self) -> None:
        """After its end: waits for what it had still written. A stranger may hold a pipe open, so not for ever."""
        for thread in self.readers:
            thread.join(2)
        os.close(self.commands)
        for fd, thread in zip((self.channel, self.out, self.err), self.readers):
            if not thread.is_alive():
                os.close(fd)


def unread(fd: int) -> bool:
    return fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"


def spawn(path: str, arguments: list[str], env: dict[str, str], places: list[tuple[int, int]]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, fd, place) for fd, place in places]
    try:
        return os.posix_spawn(path, arguments, env, file_actions=actions, setsid=True)
    except NotImplementedError:
        return os.posix_spawn(path, arguments, env, file_actions=actions)
