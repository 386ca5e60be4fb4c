"""
What a worker leaves behind when it dies: which nodes ran, and where Python was when it crashed. The worker writes into
a piece of memory that we keep (`miranda/worker/crash_notes.py`); node code can write there too, so it is read with
the same distrust as everything else it sends.
"""

from __future__ import annotations

import fcntl
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message_types import Place

#: Where the worker finds it.
PLACE = 9
#: The numbers of nodes come first, then the words of Python's own fault handler.
NUMBERS = 4_096
SIZE = 64 << 10
LARGEST_NODE = (1 << 53) - 1
MOST_NODES = 64


def make_notes() -> int:
    notes = os.memfd_create("notes", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(notes, SIZE)
    # Or node code could fill the machine's memory through it.
    fcntl.fcntl(notes, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
    return notes


def read_notes(notes: int) -> tuple[list[int], str]:
    """The nodes that ran, and what the fault handler wrote."""
    data = os.pread(notes, SIZE, 0)
    numbers = (int.from_bytes(data[at : at + 8], "little") for at in range(0, NUMBERS, 8))
    nodes = list(dict.fromkeys(number for number in numbers if 0 < number <= LARGEST_NODE))
    return nodes[:MOST_NODES], data[NUMBERS:].split(b"\0", 1)[0].decode("utf-8", "replace")


def crashed_at(report: str, runtime: str) -> tuple[Place | None, str]:
    """Where in which node the thread was that crashed, and the part of the report that is about it."""
    import re

    head, found, rest = report.partition("Current thread")
    if not found:
        return None, ""
    frames = rest.split("\n\n", 1)[0].splitlines()[1:]
    own = [frame for frame in frames if f'File "{runtime}/' not in frame and 'File "<string>"' not in frame]
    traceback = "\n".join([*head.strip().splitlines()[:1], *own])
    for frame in own:
        match = re.fullmatch(r'  File "<.{1,1000} (\d{1,15})>", line (\d{1,9}) in (.{1,500})', frame)
        if match:
            node, line, function = match.groups()
            return {"node": int(node), "line": int(line), "function": function}, traceback
    return None, traceback
