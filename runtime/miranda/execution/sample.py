"""The last value that went over an edge. It is computed only when a person looks, so sending costs nothing more."""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

from ..attributes import Constant
from ..lanes.shared import Remote, Written
from ..output.streams import Channel
from .graph import Graph, NodeState
from .values import seen

TABLES = ("pandas", "polars", "pyarrow")
ARRAYS = ("numpy", "torch", "tensorflow", "jax", "jaxlib", "cupy")
MOST_ROWS = 50
NOTHING = object()


def sample_of(graph: Graph, channel: Channel, command: dict[str, Any]) -> None:
    """Answers with the newest value. The lane that has it looks at it, when it is not a plain one."""
    node, transmitter = command["node"], command["transmitter"]
    answer: dict[str, Any] = {"command": "sample", "number": command["number"], "error": None}
    answer |= {"node": node, "transmitter": transmitter, "sent": 0}
    state = graph.nodes.get(node)
    value, sent = last_value(state, transmitter) if state is not None else (NOTHING, 0)
    if type(value) is Remote:
        lane = next((one for one in value.numbers if one.is_alive), None)
        if lane is not None:
            lane.send("sample", {**answer, "sent": sent}, value.numbers[lane])
            return
        value, sent = NOTHING, 0
    if type(value) is Written:
        lane = state.lane if state is not None else None
        if lane is not None and lane.is_alive:
            lane.send("sample", {**answer, "sent": sent}, value.data)
            return
        value, sent = NOTHING, 0
    kind, size, tree = (None, None, None) if value is NOTHING else looked_at(value)
    channel.event({"kind": "done", **answer, "sent": sent, "value_kind": kind, "size": size, "value": tree})


def looked_at(value: Any) -> tuple[str, str, Any]:
    # Imported here: a session starts without it.
    from ..debugging.locals_tree import value_tree

    kind, size, head = described(seen(value))
    return kind, size, value_tree(head)


def last_value(state: NodeState, transmitter: str) -> tuple[Any, int | None]:
    """The newest value and how many were sent; None when they were not counted."""
    outputs = state.outputs
    if outputs is None:
        return state.last.get(transmitter, NOTHING), None
    values = [value for name, value in list(outputs) if name == transmitter]
    if values:
        return values[-1], len(values)
    loaded = state.loaded
    constant = loaded.attributes.get(transmitter) if loaded is not None else None
    if isinstance(constant, Constant):
        return state.values.get(transmitter, constant.value), 1
    return NOTHING, 0


def described(value: Any) -> tuple[str, str, Any]:
    """Its kind, its size in words, and its beginning. Only types that are known are asked for their length."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    if value is None:
        return "nothing", "", None
    if kind is bool:
        return "truth", "", value
    if kind in (int, float, complex):
        return "number", "", value
    if kind is str:
        return "text", counted(len(value), "character"), value
    if kind in (bytes, bytearray):
        return ("image" if is_image(value) else "bytes"), counted(len(value), "byte"), bytes(value[:64])
    if kind in (list, tuple) and value and all(type(row) is dict for row in value[:MOST_ROWS]):
        columns = len({name for row in value[:MOST_ROWS] for name in row})
        return "table", f"{counted(len(value), 'row')} \u00d7 {counted(columns, 'column')}", value[:MOST_ROWS]
    if kind in (list, tuple, set, frozenset, dict):
        return "object" if kind is dict else "list", counted(len(value), "item"), value
    if package in TABLES and len(getattr(value, "shape", ())) == 2:
        rows, columns = value.shape
        return "table", f"{counted(rows, 'row')} \u00d7 {counted(columns, 'column')}", head_of(value)
    if package in ARRAYS and hasattr(value, "shape"):
        return "array", " \u00d7 ".join(str(length) for length in value.shape) or "one number", value
    return kind.__name__, "", value


def head_of(frame: Any) -> Any:
    try:
        return frame.head(MOST_ROWS).to_dict("records")
    except Exception:
        return frame


def is_image(data: bytes | bytearray) -> bool:
    return bytes(data[:8]) == b"\x89PNG\r\n\x1a\n" or bytes(data[:3]) == b"\xff\xd8\xff"


def counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
