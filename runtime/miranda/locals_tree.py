"""Local variables as a bounded JSON tree. It never calls a __repr__ that node code defines: it may raise, loop or grow."""

from __future__ import annotations

import math
import time
import types
from typing import Any

DEEPEST = 6
MOST_ITEMS = 100
MOST_NODES = 5_000
LONGEST = 2_000
PATIENCE = 1.0
LARGEST_NUMBER = 2**53


class Budget:
    def __init__(self) -> None:
        self.nodes = MOST_NODES
        self.until = time.monotonic() + PATIENCE
        self.path: set[int] = set()

    def spent(self) -> bool:
        self.nodes -= 1
        return self.nodes < 0 or time.monotonic() > self.until


def locals_tree(variables: Any) -> dict[str, Any]:
    budget = Budget()
    tree: dict[str, Any] = {}
    for name in list(variables)[: MOST_ITEMS * 2]:
        if name.startswith("__") and name.endswith("__"):
            continue
        value = variables[name]
        if issubclass(type(value), types.ModuleType):
            continue
        tree[str(name)] = shown(value, 0, budget)
    return tree


def value_tree(value: Any) -> Any:
    return shown(value, 0, Budget())


def shown(value: Any, depth: int, budget: Budget) -> Any:
    if budget.spent():
        return "…"
    try:
        return plain(value, depth, budget)
    except Exception as error:
        return f"<{type(value).__name__}: {type(error).__name__} while looking at it>"


def plain(value: Any, depth: int, budget: Budget) -> Any:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if issubclass(kind, str):
        return cut(str.__str__(value) if kind is str else str.__getitem__(value, slice(0, LONGEST + 1)))
    if issubclass(kind, int):
        number = int.__int__(value)
        if -LARGEST_NUMBER < number < LARGEST_NUMBER:
            return number
        return str(number) if number.bit_length() < 4_000 else f"<int of {number.bit_length()} bits>"
    if issubclass(kind, float):
        number = float.__float__(value)
        return number if math.isfinite(number) else float.__repr__(number)
    if issubclass(kind, (bytes, bytearray)):
        return f"<{kind.__name__} of {len(value)}> {bytes(value[:40])!r}"
    if id(value) in budget.path:
        return f"<{kind.__name__} that contains itself>"
    budget.path.add(id(value))
    try:
        return compound(value, kind, depth, budget)
    finally:
        budget.path.discard(id(value))


def compound(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    table = tabular(value, kind, depth, budget)
    if table is not None:
        return table
    if issubclass(kind, dict):
        size = dict.__len__(value)
        if depth >= DEEPEST:
            return f"<{kind.__name__} of {size}>"
        tree = {}
        for at, (key, inner) in enumerate(dict.items(value)):
            if at >= MOST_ITEMS:
                tree["…"] = f"{size - MOST_ITEMS} more"
                break
            tree[key_text(key)] = shown(inner, depth + 1, budget)
        return tree
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            size = base.__len__(value)
            if depth >= DEEPEST:
                return f"<{kind.__name__} of {size}>"
            items = []
            for at, inner in enumerate(base.__iter__(value)):
                if at >= MOST_ITEMS:
                    items.append(f"… {size - MOST_ITEMS} more")
                    break
                items.append(shown(inner, depth + 1, budget))
            return items
    return instance(value, kind, depth, budget)


def instance(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    # By type(), never by isinstance: that asks the value for its __class__, which node code may have defined.
    if issubclass(kind, type):
        return f"<class {type.__getattribute__(value, '__name__')}>"
    if issubclass(kind, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
        return f"<function {value.__name__}>"
    if is_trusted(kind):
        return cut(repr(value))
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        attributes = None
    name = f"<{kind.__module__}.{kind.__qualname__}>" if not is_node_code(kind) else f"<{kind.__qualname__}>"
    if not isinstance(attributes, dict) or depth >= DEEPEST:
        return name
    tree: dict[str, Any] = {"": name}
    for at, (key, inner) in enumerate(dict.items(attributes)):
        if at >= MOST_ITEMS:
            tree["…"] = f"{len(attributes) - MOST_ITEMS} more"
            break
        if not str(key).startswith("_miranda"):
            tree[key_text(key)] = shown(inner, depth + 1, budget)
    return tree


TRUSTED = ("datetime", "decimal", "fractions", "pathlib", "uuid", "numpy", "pandas", "ipaddress", "re", "miranda")


def is_trusted(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in TRUSTED or (
        kind.__module__ == "builtins" and kind.__repr__ is not object.__repr__
    )


def is_node_code(kind: type) -> bool:
    return kind.__module__.startswith("miranda_node_")


def tabular(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    """Arrays and tables show their shape and their head."""
    package = kind.__module__.partition(".")[0]
    if package == "numpy" and kind.__name__ == "ndarray":
        head = value.reshape(-1)[:10].tolist()
        return {"": f"<array {value.dtype}>", "shape": list(value.shape), "head": shown(head, depth + 1, budget)}
    if package == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        head = value.head(5)
        rows = head.to_dict("records") if kind.__name__ == "DataFrame" else head.tolist()
        tree = {"": f"<{kind.__name__}>", "shape": list(value.shape), "head": shown(rows, depth + 1, budget)}
        if kind.__name__ == "DataFrame":
            tree["columns"] = [str(column) for column in list(value.columns)[:MOST_ITEMS]]
        return tree
    return None


def key_text(key: Any) -> str:
    if type(key) is str:
        return cut(key)
    if type(key) in (int, float, bool, bytes) or key is None:
        return cut(repr(key))
    if type(key) is tuple and all(type(part) in (str, int, float) for part in key[:10]):
        return cut(repr(key[:10]))
    return f"<{type(key).__name__}>"


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"
