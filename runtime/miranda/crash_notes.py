"""
What a worker leaves behind when it dies: which nodes ran, and where Python was when it crashed. What it reports otherwise is
told by a timer, and a node may end the worker before that. The agent reads it (`miranda_agent/crash_notes.py`).
"""

from __future__ import annotations

import os

PLACE = 9
NUMBERS = 4_096


class Statuses(dict[int, str]):
    """The statuses of nodes that are still to be told. Those that run are noted at once."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = memory_at(PLACE)
        self.places: dict[int, int] = {}
        self.free = list(range(NUMBERS - 8, -8, -8)) if self.memory is not None else []

    def __setitem__(self, node: int, status: str) -> None:
        super().__setitem__(node, status)
        # Several threads come here: whoever has taken a place has it alone.
        if status == "running":
            if self.free and node not in self.places:
                place = self.places[node] = self.free.pop()
                self.memory[place : place + 8] = node.to_bytes(8, "little")
        elif (place := self.places.pop(node, None)) is not None:
            self.memory[place : place + 8] = bytes(8)
            self.free.append(place)


def memory_at(place: int):
    """None where no agent has made any, as in tests."""
    import faulthandler
    import mmap

    try:
        memory = mmap.mmap(place, NUMBERS)
        os.lseek(place, NUMBERS, os.SEEK_SET)
        faulthandler.enable(place)
    except (OSError, ValueError):
        return None
    return memory
