"""Calls of a deployed workflow: the values that callers give, and the last values that they get."""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import json
import math
from base64 import b64encode
from typing import Any

from ..execution.graph import Graph
from ..execution.sample import NOTHING, last_value
from ..execution.values import seen
from ..files import OutputFile
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


def show_sent(graph: Graph, outputs: Outputs, run: int, wanted: list[dict[str, Any]]) -> None:
    """Reports the last value of each of these transmitters."""
    for one in wanted:
        state = graph.nodes.get(one["node"])
        value = last_value(state, one["transmitter"])[0] if state is not None else NOTHING
        if value is NOTHING:
            continue
        looked = seen(value)
        if isinstance(looked, (bytes, bytearray)):
            looked = file_of(one["transmitter"], looked)
        file = looked if isinstance(looked, OutputFile) else None
        bundle, metadata = mime_bundle(looked)
        if file is not None and file.type in PICTURES and len(file.content) <= LARGEST // 2:
            bundle[file.type] = b64encode(file.content).decode()
        if file is None and JSON not in bundle and is_json(looked):
            bundle[JSON] = looked
        outputs.show_sent(one["node"], run, bundle, {**metadata, "transmitter": one["transmitter"]}, file)


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
