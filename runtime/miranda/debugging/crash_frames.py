"""
The frames of an exception with their variables, for people who look at it later. Nobody can unfold them then, so what
was left out is said in the values themselves.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from .debug_session import described
from .locals_tree import MOST_CHARACTERS, MOST_NODES, PATIENCE, Budget, locals_tree
from .masks import Masks

#: `runMax` of contract/protocol/worker.ts has the same.
MOST_FRAMES = 30
MOST_BYTES = 256 << 10
#: Of a deep recursion: those where it ended, and where it began.
INNERMOST = 20
#: Of an exception, those that led to it: `raise … from …`, or raised while it was handled.
MOST_EARLIER = 5
LONGEST_NAME = 300
#: Of one run: a graph of thousands of nodes may fail in all of them.
MOST_CRASHES = 20
#: About what a value takes in JSON, with its name.
BYTES_PER_VALUE = 12
#: What the variables of a frame take at least to be worth keeping.
SMALLEST_SHARE = 500
#: Of code whose variables are not in a namespace: `inspect.CO_OPTIMIZED`.
OF_A_FUNCTION = 1
TOO_LARGE = {"…": "These variables are too large to be kept."}

Frame = dict[str, Any]


class CrashFrames:
    """`nodes` has the number of each node by the name of its file."""

    def __init__(self, nodes: Callable[[], dict[str, int]], masks: Masks) -> None:
        self.nodes = nodes
        self.masks = masks
        self.left = MOST_CRASHES

    def begin_run(self) -> None:
        self.left = MOST_CRASHES

    def of(self, error: BaseException | None) -> list[Frame]:
        """The innermost first. Never raises: an exception that cannot be looked at is reported all the same."""
        if error is None or self.left <= 0:
            return []
        self.left -= 1
        try:
            return described_frames(all_frames_of(error), self.nodes(), self.masks)
        except BaseException:
            return []


class At(NamedTuple):
    frame: FrameType
    line: int
    #: The class of the exception that led to the reported one. Empty for the frames of the reported one.
    cause: str


def all_frames_of(error: BaseException) -> list[At]:
    """
    Those of the error, then those of what led to it, where the reason often is. Each frame once; where an earlier error
    was raised is always named, as it may be another line of the same function.
    """
    found: list[At] = []
    seen: set[int] = set()
    for number, one in enumerate(chain_of(error)):
        name = type.__getattribute__(type(one), "__name__")[:LONGEST_NAME] if number else ""
        for depth, (frame, line) in enumerate(frames_of(one)):
            if depth == 0 or id(frame) not in seen:
                seen.add(id(frame))
                found.append(At(frame, line, name))
    return found


def chain_of(error: BaseException) -> list[BaseException]:
    """As Python prints them. Node code may have tied them to a ring."""
    chain = [error]
    while len(chain) <= MOST_EARLIER:
        last = chain[-1]
        earlier = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if earlier is None or any(earlier is one for one in chain):
            break
        chain.append(earlier)
    return chain


def frames_of(error: BaseException) -> list[tuple[FrameType, int]]:
    frames: list[tuple[FrameType, int]] = []
    at = error.__traceback__
    while at is not None:
        frames.append((at.tb_frame, at.tb_lineno))
        at = at.tb_next
    frames.reverse()
    return frames


def described_frames(frames: list[At], nodes: dict[str, int], masks: Masks) -> list[Frame]:
    def is_node(at: int) -> bool:
        return frames[at][0].f_code.co_filename in nodes

    # Node code comes first: a library may hold hundreds of variables that explain nothing.
    order = sorted(range(len(frames)), key=lambda at: not is_node(at))
    own = [at for at in order if is_node(at)]
    if len(own) > MOST_FRAMES:
        order = own[:INNERMOST] + own[INNERMOST - MOST_FRAMES :]
    found: dict[int, Frame] = {}
    left = MOST_BYTES
    until = time.monotonic() + PATIENCE
    for at in order[:MOST_FRAMES]:
        frame, line, cause = frames[at]
        found[at] = {**described(frame, line, nodes), "locals": {}, "cause": cause}
        left -= len(json.dumps(found[at]))
    for at, one in found.items():
        share = left // 2 if is_node(at) else left // 4
        one["locals"] = variables(frames[at][0], share, until, masks)
        left -= len(json.dumps(one["locals"]))
    return [found[at] for at in sorted(found)]


def variables(frame: FrameType, room: int, until: float, masks: Masks) -> Any:
    """Within `room` bytes of JSON. Tried with less until it fits: how long a value is shows only when it is written."""
    values: Any = frame.f_locals
    if type(values) is not dict and not frame.f_code.co_flags & OF_A_FUNCTION:
        # The body of a class may have a namespace that is node code itself.
        return {}
    share = room
    while share >= SMALLEST_SHARE:
        characters, count = min(share, MOST_CHARACTERS), min(share // BYTES_PER_VALUE, MOST_NODES)
        tree = locals_tree(values, Budget(characters=characters, nodes=count, until=until, masks=masks))
        if len(json.dumps(tree)) <= room:
            return tree
        share //= 4
    return TOO_LARGE if frame.f_code.co_nlocals > 0 else {}
