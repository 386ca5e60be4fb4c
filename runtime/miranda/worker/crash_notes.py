"""
What a worker leaves behind when it dies: which nodes ran, and where Python was when it crashed. Its other reports are
sent by a timer, and a node may end the worker before that. `miranda_agent/crash_notes.py` reads the notes.
"""

from __future__ import annotations

import os
from collections.abc import Callable

PLACE = 9
NUMBERS = 4_096


class Statuses(dict[int, str]):
    """
    The statuses of nodes that have not been reported yet. Running nodes are noted at once, and every node waits for
    that: it has to stay under a microsecond.
    """

    __slots__ = ("free", "numbers", "places")

    def __init__(self) -> None:
        numbers = numbers_at(PLACE)
        self.numbers = numbers if numbers is not None else memoryview(b"")
        self.places: dict[int, int] = {}
        self.free = list(range(NUMBERS // 8 - 1, -1, -1)) if numbers is not None else []

    def __setitem__(self, node: int, status: str, keep: Callable[..., None] = dict.__setitem__) -> None:  # pyright: ignore
        keep(self, node, status)
        # Several threads come here, and each place is taken by one of them.
        if status == "running":
            if self.free and node not in self.places:
                place = self.places[node] = self.free.pop()
                self.numbers[place] = node
        else:
            place = self.places.pop(node, None)
            if place is not None:
                self.numbers[place] = 0
                self.free.append(place)


def numbers_at(place: int) -> memoryview | None:
    """None where no agent has made any, as in tests."""
    import faulthandler
    import mmap

    try:
        memory = mmap.mmap(place, NUMBERS)
        os.lseek(place, NUMBERS, os.SEEK_SET)
        faulthandler.enable(place)
    except (OSError, ValueError):
        return None
    return memoryview(memory).cast("Q")
