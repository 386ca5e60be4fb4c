"""Frames from the worker: a four-byte length, a kind and a body."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT, STDOUT, STDERR, RECORD, NODE = 0, 1, 2, 3, 4
#: The largest body of a frame, in bytes, by its kind.
LARGEST_FRAME = {EVENT: 16 << 20, STDOUT: 1 << 20, STDERR: 1 << 20, RECORD: 11 << 20, NODE: 8}
READ = 1 << 18


class Violation(Exception):
    """Something that no worker sends: node code wrote it, and the session ends."""


def read_frames(fd: int) -> Iterator[tuple[int, bytes]]:
    """
    Until the other end is closed. A length is believed only up to what its kind may have, and a frame that comes in
    many pieces is copied once: a length that is a lie must cost the agent nothing.
    """
    pieces: list[bytes] = []
    held, wanted = 0, 5
    while True:
        data = os.read(fd, READ)
        if not data:
            return
        pieces.append(data)
        held += len(data)
        if held < wanted:
            continue
        buffer = b"".join(pieces)
        at = 0
        while True:
            if held - at < 5:
                wanted = 5
                break
            length, kind = int.from_bytes(buffer[at : at + 4], "big"), buffer[at + 4]
            most = LARGEST_FRAME.get(kind)
            if most is None:
                raise Violation(f"a frame of the kind {kind}")
            if length > most:
                raise Violation(f"a frame of {length:,} bytes")
            end = at + 5 + length
            if end > held:
                wanted = end - at
                break
            yield kind, buffer[at + 5 : end]
            at = end
        rest = buffer[at:] if at else buffer
        pieces, held = ([rest] if rest else []), held - at
