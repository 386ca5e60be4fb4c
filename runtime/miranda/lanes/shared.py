"""
Values that cross from one lane to another. The worker never opens one: it holds where it is, and asks the lane that has
it to write it out, in the same format as kept results. A large one is written once, into memory that both lanes map.
"""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import os
from functools import partial
from typing import Any, cast

from ..execution.values import PLAIN, Parcel

#: What is written out and is no larger goes beside the message, without a file.
SMALL = 64 << 10
#: What is left for others in the memory's own folder, in bytes.
SPARED = 4 << 20
#: Longer texts stay where they are until a lane asks for them.
LONGEST_INLINE = 4_096
TEXTS = frozenset((str, bytes))
#: A constant that is no larger goes to every lane that has a reader, as it was written.
LARGEST_CONSTANT = 16 << 20


class Remote:
    """Where a value is: in one lane, and after it was asked for in others too."""

    __slots__ = ("__weakref__", "kind", "lane", "numbers", "problem")

    def __init__(self, lane: Any, number: int, kind: str) -> None:
        #: The lane in which it was sent.
        self.lane = lane
        #: Its number in each lane that has it.
        self.numbers: dict[Any, int] = {lane: number}
        #: The name of its type.
        self.kind = kind
        #: Why it cannot leave its lane.
        self.problem = ""

    def __del__(self) -> None:
        for lane, number in self.numbers.items():
            lane.drop(number)

    @property
    def is_there(self) -> bool:
        return any(lane.is_alive for lane in self.numbers)


class Written:
    """A constant as its lane wrote it. Every lane can open it, whether the first one is still there or not."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


def value_at(lane: Any, reference: Any, kind: str) -> Any:
    """What a lane wrote for a value: the value itself in a tuple, or its number there."""
    return cast("tuple[Any]", reference)[0] if type(reference) is tuple else Remote(lane, reference, kind)


def is_inline(value: Any) -> bool:
    kind = type(value)
    return kind in PLAIN and (kind not in TEXTS or len(value) <= LONGEST_INLINE)


def nameless_file(size: int) -> int:
    """
    In memory where there is room, else in the session's folder. A sandbox forbids files without a folder, because their
    memory counts for nobody.
    """
    for folder in ("/dev/shm", os.getcwd()):
        try:
            room = os.statvfs(folder)
            if folder == "/dev/shm" and room.f_bavail * room.f_frsize < size + SPARED:
                continue
            path = os.path.join(folder, f".miranda-{os.getpid()}-{os.urandom(8).hex()}")
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            continue
        os.unlink(path)
        return file
    raise OSError("There is no folder for values that go from one process to another.")


class Unsharable(Exception):
    """Why a value cannot leave its process, in words that follow a colon."""


def written_out(value: Any, small: int = SMALL) -> tuple[bytes | None, int | None]:
    """The value as bytes, or as a file in memory when it is not small."""
    # Imported here: a session starts without it.
    from ..results.result_file import Unkeepable, encode_one, lay_out, write_to

    try:
        layout = lay_out([encode_one("", value)])
    except Unkeepable as problem:
        raise Unsharable(str(problem)) from None
    if layout.size <= small:
        data = bytearray(layout.size)
        data[: len(layout.head)] = layout.head
        for at, part in layout.parts:
            begin = len(layout.head) + at
            data[begin : begin + len(part)] = part
        return bytes(data), None
    file = nameless_file(layout.size)
    try:
        write_to(file, layout)
    except BaseException:
        os.close(file)
        raise
    return None, file


def taken_in(data: bytes | None, file: int | None) -> Parcel:
    """
    A value that another lane wrote out, as if it had been sent here. It is opened when its reader runs, and what goes
    wrong then is the reader's.
    """
    # Imported here: a session starts without it.
    from ..results.result_file import open_one, part, read_head

    if file is None:
        content = memoryview(data or b"")
    else:
        import mmap

        try:
            content = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
        finally:
            os.close(file)
    begin, values = read_head(content)
    _, place, buffers = values[0]
    views = [part(content, begin, one) for one in buffers]
    if place is None:
        return Parcel(partial(bytes, views[0]))
    pickled = part(content, begin, place)
    return Parcel(partial(open_one, pickled, views, anywhere), pickled=(bytes(pickled), views))


def anywhere(_module: str, _name: str) -> None:
    """Classes are found as Python finds them: the code of nodes is among the modules."""
