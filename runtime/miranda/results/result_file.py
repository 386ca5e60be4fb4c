"""
The file of a result: a head in JSON, then pickles of protocol 5, then their buffers, each at a multiple of 64 bytes. So
numpy, pandas and Arrow write their memory as it is, and read it from the mapped file.
"""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from ..execution.values import LARGEST_COPIED, UNCHANGEABLE, Parcel

MAGIC = b"miranda\1"
ALIGNED = 64
#: Longer bytes are a buffer of their own.
LONG_BYTES = 64 << 10
#: A smaller file is read, not mapped: each mapping keeps a file open.
SMALL_FILE = 1 << 20
LONGEST_HEAD = 64 << 20


class Unkeepable(Exception):
    """Why something cannot be kept, in words that follow a colon."""


class Damaged(Exception):
    """The file is no result."""


class Encoded(NamedTuple):
    transmitter: str
    #: None for plain bytes, which are the only buffer.
    pickle: bytes | None
    buffers: list[memoryview]


def encode(outputs: Iterable[tuple[str, Any]]) -> list[Encoded]:
    return [encode_one(transmitter, value) for transmitter, value in outputs]


def encode_one(transmitter: str, value: Any) -> Encoded:
    if type(value) is bytes and len(value) >= LONG_BYTES:
        return Encoded(transmitter, None, [memoryview(value)])
    if type(value) is Parcel:
        if value.pickled is not None:
            data, kept = value.pickled
            return Encoded(transmitter, data, [memoryview(one) for one in kept])
        value = value.look()
    elif type(value) not in UNCHANGEABLE and type(value) not in (tuple, frozenset):
        # Its receivers share it, and may change it while it is written.
        raise Unkeepable(f"it sends a value that cannot be copied ({type(value).__name__}).")
    buffers: list[pickle.PickleBuffer] = []
    try:
        data = pickle.dumps(value, 5, buffer_callback=buffers.append)
        return Encoded(transmitter, data, [buffer.raw() for buffer in buffers])
    except Exception as error:
        words = f"{type(error).__name__}: {error}"[:300]
        raise Unkeepable(f"it sends a value that cannot be stored ({type(value).__name__}; {words}).") from None


class Layout(NamedTuple):
    head: bytes
    #: Each part and its place.
    parts: list[tuple[int, bytes | memoryview]]
    size: int


def lay_out(encoded: list[Encoded]) -> Layout:
    pickles = [one.pickle or b"" for one in encoded]
    buffers = [buffer for one in encoded for buffer in one.buffers]
    # The head's length depends on the numbers in it, so places are counted from the end of the head.
    at, parts = 0, []
    places: list[tuple[int, int]] = []
    for data in pickles:
        places.append((at, len(data)))
        parts.append((at, data))
        at += len(data)
    buffer_places: list[tuple[int, int]] = []
    for buffer in buffers:
        at = aligned(at)
        buffer_places.append((at, buffer.nbytes))
        parts.append((at, buffer))
        at += buffer.nbytes
    rest = iter(buffer_places)
    values = [
        [one.transmitter, None if one.pickle is None else place, [next(rest) for _ in one.buffers]]
        for one, place in zip(encoded, places, strict=True)
    ]
    text = json.dumps({"values": values}).encode()
    head = MAGIC + len(text).to_bytes(8, "little") + text
    head += b" " * (aligned(len(head)) - len(head))
    return Layout(head, parts, len(head) + at)


def write(path: str, layout: Layout) -> None:
    with open(path, "xb", buffering=0) as file:
        write_to(file.fileno(), layout)


def write_to(fd: int, layout: Layout) -> None:
    begin = len(layout.head)
    write_all(fd, layout.head)
    for at, part in layout.parts:
        if part:
            # The gaps before buffers stay empty.
            os.lseek(fd, begin + at, os.SEEK_SET)
            write_all(fd, part)
    # An empty buffer at the end has a place too.
    os.ftruncate(fd, layout.size)


def write_all(fd: int, data: bytes | memoryview) -> None:
    view = memoryview(data).cast("B") if len(data) else memoryview(b"")
    while view:
        # Pieces: one write of gigabytes would not be interrupted, and Linux writes 2 GB at most.
        view = view[os.write(fd, view[: 16 << 20]) :]


FindClass = Callable[[str, str], Any]


def read(path: str, find_class: FindClass) -> list[tuple[str, Any]]:
    """
    The values, as if their node had just sent them. Each pickle is opened once here, so that one that cannot be opened
    is noticed before a node runs.
    """
    return read_from(content_of(path), find_class)


def read_from(data: memoryview, find_class: FindClass) -> list[tuple[str, Any]]:
    begin, values = read_head(data)
    outputs: list[tuple[str, Any]] = []
    for transmitter, place, buffers in values:
        views = [part(data, begin, one) for one in buffers]
        if place is None:
            outputs.append((transmitter, Parcel(partial(bytes, views[0]))))
            continue
        pickled = part(data, begin, place)
        value = load(pickled, views, find_class)
        if type(value) not in UNCHANGEABLE:
            value = Parcel(partial(open_one, pickled, views, find_class))
        outputs.append((transmitter, value))
    return outputs


def content_of(path: str) -> memoryview:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < SMALL_FILE:
            return memoryview(file.read())
        import mmap

        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def read_head(data: memoryview) -> tuple[int, list[Any]]:
    length = int.from_bytes(data[8:16], "little")
    if bytes(data[:8]) != MAGIC or not 0 < length <= min(LONGEST_HEAD, len(data) - 16):
        raise Damaged
    try:
        return aligned(16 + length), json.loads(bytes(data[16 : 16 + length]))["values"]
    except (ValueError, KeyError, TypeError):
        raise Damaged from None


def part(data: memoryview, begin: int, place: list[int]) -> memoryview:
    at, length = begin + place[0], place[1]
    if at < begin or length < 0 or at + length > len(data):
        raise Damaged
    return data[at : at + length]


def open_one(pickled: memoryview, views: list[memoryview], find_class: FindClass) -> Any:
    """As after a run: a receiver may change what it gets, except large arrays, which are read-only for everybody."""
    return load(pickled, [one if len(one) > LARGEST_COPIED else bytearray(one) for one in views], find_class)


def load(pickled: memoryview, buffers: Iterable[Any], find_class: FindClass) -> Any:
    import io

    reader = Reader(io.BytesIO(pickled), buffers=buffers)
    reader.found = find_class
    return reader.load()


class Reader(pickle.Unpickler):
    found: FindClass

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        self.found(module_name, global_name)
        return super().find_class(module_name, global_name)


def aligned(at: int) -> int:
    return -(-at // ALIGNED) * ALIGNED
