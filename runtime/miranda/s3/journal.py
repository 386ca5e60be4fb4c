"""
Records which files of a folder are already in its bucket. Kept in a file, so that a restarted worker knows what is not
uploaded yet.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any, NamedTuple


class Known(NamedTuple):
    """A file as the bucket and the folder had it when they were last alike."""

    tag: str
    size: int
    modified: int
    changed: int
    inode: int

    @staticmethod
    def of(tag: str, info: os.stat_result) -> Known:
        return Known(tag, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)

    def is_as(self, info: os.stat_result) -> bool:
        return self == Known.of(self.tag, info)


class Journal:
    """One line for each change: a worker may be ended at any moment."""

    def __init__(self, path: str) -> None:
        self.lock = threading.Lock()
        self.known: dict[str, Known] = {}
        try:
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    # The last one may be half written.
                    if line.endswith("\n"):
                        self.take(*json.loads(line))
        except FileNotFoundError:
            pass
        with open(path + ".new", "w", encoding="utf-8") as out:
            out.writelines(json.dumps([name, known]) + "\n" for name, known in self.known.items())
        os.replace(path + ".new", path)
        self.out = open(path, "a", encoding="utf-8")  # noqa: SIM115 (open as long as the session)

    def take(self, name: str, known: list[Any] | None) -> None:
        if known is None:
            self.known.pop(name, None)
        else:
            self.known[name] = Known(*known)

    def set(self, name: str, known: Known) -> None:
        self.known[name] = known
        self.write(name, known)

    def forget(self, name: str) -> None:
        if self.known.pop(name, None) is not None:
            self.write(name, None)

    def forget_all(self) -> None:
        for name in list(self.known):
            self.forget(name)

    def write(self, name: str, known: Known | None) -> None:
        line = json.dumps([name, known]) + "\n"
        with self.lock:
            self.out.write(line)
            self.out.flush()
