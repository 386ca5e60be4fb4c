"""Transfers several files at once and reports the progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from ..output.streams import INFO
from .connections import Problem

AT_ONCE = 8
TELL_EVERY = 5.0

Item = TypeVar("Item")


class Progress:
    """How much of so many files and bytes is done."""

    def __init__(self, start: str, files: int, size: int, record: Callable[[int, str], None]) -> None:
        self.start = start
        self.files = files
        self.size = size
        self.record = record
        self.done = 0
        self.passed = 0

    def add(self, size: int) -> None:
        self.passed += size

    def report(self) -> None:
        size = f", {amount(min(self.passed, self.size))} of {amount(self.size)}" if self.size else ""
        self.record(INFO, f"{self.start} {self.done} of {self.files} files{size}")


def move_all(items: Sequence[Item], move: Callable[[Item], None], progress: Progress) -> list[tuple[Item, str]]:
    """What failed, and why. After the first failure nothing more is begun: the others would most likely fail alike."""
    failures: list[tuple[Item, str]] = []

    def one(item: Item) -> None:
        if failures:
            return
        try:
            move(item)
            progress.done += 1
        except Problem as problem:
            failures.append((item, str(problem)))
        except OSError as error:
            failures.append((item, error.strerror or str(error)))
        except BaseException as error:
            failures.append((item, f"{type(error).__name__}: {error}"))

    with ThreadPoolExecutor(min(AT_ONCE, len(items)), "miranda-s3") as pool:
        waiting = {pool.submit(one, item) for item in items}
        while waiting:
            _, waiting = wait(waiting, TELL_EVERY)
            if waiting:
                progress.report()
    return failures


def amount(size: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return "1 byte" if size == 1 else f"{size} bytes"


def files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
