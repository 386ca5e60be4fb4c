"""Only one thread of a session is stopped at a time, whichever lane it is in: whoever stops holds this token."""

from __future__ import annotations

import os
from select import POLLIN, poll


class StopToken:
    """A pipe with one byte in it."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.give()

    @property
    def numbers(self) -> tuple[int, int]:
        return self.reader, self.writer

    def take(self, seconds: float) -> bool:
        """Whether it could be had in this time."""
        # Not `select`, which cannot wait for a file whose number is above a thousand.
        waiting = poll()
        waiting.register(self.reader, POLLIN)
        if not waiting.poll(seconds * 1_000):
            return False
        try:
            return bool(os.read(self.reader, 1))
        except BlockingIOError:
            # Another lane was faster.
            return False

    def give(self) -> None:
        os.write(self.writer, b"\0")
