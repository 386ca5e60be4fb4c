"""Starts a worker on this machine, as an agent does, and reads what it sends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from miranda_agent.frames import EVENT, NODE, RECORD, STDERR, STDOUT, read_frames
from miranda_agent.lines import Lines

#: Levels of log lines: contract/limits.ts has the same.
PLAIN, WARNING = 0, 2
BOOTSTRAP = """
import os, sys
os.chdir({folder!r})
sys.path.insert(0, {runtime!r})
from miranda.worker.session import Session
Session({commands}, {channel}, {folder!r}).serve()
"""


class WorkerLink:
    """`on_event(link, event)` gets every message, `on_line(node, level, text)` every line that was printed."""

    def __init__(
        self,
        folder: Path,
        storage: Path,
        on_event: Callable[[WorkerLink, dict[str, Any]], None],
        on_line: Callable[[int, int, str], None],
    ) -> None:
        self.on_event = on_event
        self.on_line = on_line
        self.sending = threading.Lock()
        self.telling = threading.Lock()
        self.unfinished: dict[tuple[int, int], Lines] = {}
        commands, self.commands = os.pipe()
        self.channel, channel = os.pipe()
        runtime = str(Path(__file__).resolve().parent.parent)
        script = BOOTSTRAP.format(folder=str(folder), runtime=runtime, commands=commands, channel=channel)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(commands, channel),
            env={**without_token(), "MIRANDA_STORAGE": str(storage)},
            # Ctrl-C is ours: it ends the nodes that run, and the worker reports how.
            start_new_session=True,
        )
        os.close(commands)
        os.close(channel)
        raw = ((self.process.stdout, STDOUT), (self.process.stderr, STDERR))
        self.readers = [threading.Thread(target=self.read_channel, daemon=True)]
        self.readers += [threading.Thread(target=self.read_raw, args=one, daemon=True) for one in raw]
        for reader in self.readers:
            reader.start()

    def send(self, command: dict[str, Any]) -> None:
        data = json.dumps(command).encode() + b"\n"
        with self.sending:
            try:
                while data:
                    data = data[os.write(self.commands, data) :]
            except BrokenPipeError:
                # It has ended; `wait` reports how.
                pass

    def read_channel(self) -> None:
        node = 0
        for kind, body in read_frames(self.channel):
            if kind == NODE:
                node = int.from_bytes(body, "big")
            elif kind == RECORD:
                self.on_line(node, body[0] if body else PLAIN, body[1:].decode("utf-8", "replace"))
            elif kind in (STDOUT, STDERR):
                self.feed(node, kind, body)
            elif kind == EVENT:
                event = json.loads(body)
                if event["kind"] == "done":
                    self.finish_lines()
                self.on_event(self, event)

    def read_raw(self, stream: Any, kind: int) -> None:
        """What child processes print."""
        while data := os.read(stream.fileno(), 1 << 16):
            self.feed(0, kind, data)

    def feed(self, node: int, kind: int, data: bytes) -> None:
        with self.telling:
            text = self.unfinished.setdefault((node, kind), Lines()).feed(data)
        if text is not None:
            self.on_line(node, PLAIN if kind == STDOUT else WARNING, text)

    def finish_lines(self) -> None:
        """Text without a newline at the end of a run is a line too."""
        with self.telling:
            rest = [(key, lines.finish()) for key, lines in self.unfinished.items()]
        for (node, kind), text in rest:
            if text is not None:
                self.on_line(node, PLAIN if kind == STDOUT else WARNING, text)

    def end(self) -> int:
        """Its exit status: negative when a signal ended it."""
        self.send({"command": "exit"})
        try:
            status = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for reader in self.readers:
            reader.join(2)
        self.finish_lines()
        os.close(self.commands)
        return status


def without_token() -> dict[str, str]:
    """Without the token: node code could change every workflow of its owner with it."""
    return {name: value for name, value in os.environ.items() if name != "MIRANDA_TOKEN"}
