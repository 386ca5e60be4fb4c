"""Calls of a deployed workflow: the values that callers give, and the last values that they get."""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import json
import math
from base64 import b64encode
from typing import Any

from ..execution.executor import Executor
from ..execution.graph import Graph
from ..execution.loading import fixed_for
from ..execution.sample import NOTHING, last_value
from ..execution.values import seen
from ..files import OutputFile
from ..lanes.lane import LaneEnded
from ..lanes.shared import Remote
from ..output.display import LARGEST, mime_bundle
from ..output.outputs import MOST_PARTS, Outputs, parts_of

JSON = "application/json"
PICTURES = {"image/png": (".png", b"\x89PNG\r\n\x1a\n"), "image/jpeg": (".jpg", b"\xff\xd8\xff")}
PLAIN = (bool, str, type(None))


class Calls:
    """The release that this session serves, and what was laid over its values for the last call."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.released: dict[int, dict[str, Any]] = {}
        self.laid: set[int] = set()

    def release(self, given: dict[str, Any]) -> None:
        """The graph has the values of a release."""
        self.released = {part["id"]: part.get("values") or {} for part in given["nodes"]}
        self.laid = set()

    def lay(self, values: dict[str, dict[str, Any]]) -> None:
        """Gives nodes the values of a call. Those that the call before had given are as in the release again."""
        nodes = self.graph.nodes
        given = {int(key): inner for key, inner in values.items() if key.isdigit()}
        for node in self.laid | given.keys():
            if node in nodes:
                nodes[node].values = {**self.released.get(node, {}), **given.get(node, {})}
        self.laid = set(given)


def show_sent(executor: Executor, run: int, wanted: list[dict[str, Any]]) -> None:
    """Reports the last value of each of these transmitters."""
    for one in wanted:
        node, transmitter = one["node"], one["transmitter"]
        state = executor.graph.nodes.get(node)
        value = last_value(state, transmitter)[0] if state is not None else NOTHING
        if value is NOTHING or state is None:
            continue
        lane = state.lane if state.lane is not None and state.lane.is_alive else executor.lanes.first()
        if type(value) is Remote:
            lane = next((one for one in value.numbers if one.is_alive), lane)
        reference = fixed_for(value, lane)
        try:
            if reference is None:
                raise LaneEnded
            lane.call("show", node, run, transmitter, reference)
        except LaneEnded:
            executor.reporter.remark(2, f"What {state.name} sent was lost with its process.")


def show_value(outputs: Outputs, node: int, run: int, transmitter: str, value: Any) -> None:
    """In the lane that has the value."""
    looked = seen(value)
    if isinstance(looked, (bytes, bytearray)):
        looked = file_of(transmitter, looked)
    file = looked if isinstance(looked, OutputFile) else None
    bundle, metadata = mime_bundle(looked)
    if file is not None and file.type in PICTURES and len(file.content) <= LARGEST // 2:
        bundle[file.type] = b64encode(file.content).decode()
    if file is None and JSON not in bundle and is_json(looked):
        bundle[JSON] = looked
    outputs.show_sent(node, run, bundle, {**metadata, "transmitter": transmitter}, file)


def file_of(name: str, content: bytes | bytearray) -> OutputFile:
    for kind, (ending, start) in PICTURES.items():
        if content.startswith(start):
            return OutputFile(f"{name}{ending}", content, kind)
    return OutputFile(f"{name}.bin", content)


def is_json(value: Any) -> bool:
    """Whether JSON can hold all of it, and it is small enough."""
    kind = type(value)
    if kind in PLAIN:
        return True
    if kind is int:
        return value.bit_length() <= 1_000
    if kind is float:
        return math.isfinite(value)
    if kind not in (dict, list, tuple) or parts_of(value) > MOST_PARTS:
        return False
    try:
        return len(json.dumps(value, allow_nan=False)) <= LARGEST
    except (TypeError, ValueError, RecursionError):
        return False
