"""
Values as a bounded JSON tree. It never calls a __repr__ that node code defines: it may raise, loop or grow.

What is too long or too deep for the tree is cut. While somebody looks at a stopped program, each cut has a reference,
by which `unfold` fetches the rest in parts.
"""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import math
import time
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

DEEPEST = 6
MOST_ITEMS = 100
MOST_NODES = 5_000
#: Of all texts in one tree together.
MOST_CHARACTERS = 400_000
LONGEST = 2_000
#: Of a long text, when it is unfolded.
LONGEST_PART = 10_000
PATIENCE = 1.0
LARGEST_NUMBER = 2**53
MOST_CUTS = 1_000
MOST_REFERENCES = 100_000
#: How deep the items of an unfolded part are shown: the rest is unfolded in turn.
UNFOLDED_DEPTH = 4
HEAD = {"ndarray": 10, "DataFrame": 5, "Series": 5}


class References:
    """The values that were cut at the present stop. Numbers are never used twice: an old one finds nothing."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.last = 0

    def add(self, value: Any) -> int | None:
        if len(self.values) >= MOST_REFERENCES:
            return None
        self.last += 1
        self.values[self.last] = value
        return self.last

    def clear(self) -> None:
        self.values.clear()


class Budget:
    def __init__(self, references: References | None = None) -> None:
        self.nodes = MOST_NODES
        self.characters = MOST_CHARACTERS
        self.until = time.monotonic() + PATIENCE
        self.path: set[int] = set()
        self.references = references
        #: Where in the tree we are, by name or number.
        self.names: list[str | int] = []
        self.cuts: list[dict[str, Any]] = []

    def spent(self) -> bool:
        self.nodes -= 1
        return self.nodes < 0 or self.characters < 0 or time.monotonic() > self.until

    def cut(self, value: Any, size: int, shown: int = 0) -> bool:
        """Notes that there is more here than the tree shows; False when nobody could fetch it."""
        if self.references is None or len(self.cuts) >= MOST_CUTS:
            return False
        reference = self.references.add(value)
        if reference is None:
            return False
        is_text = issubclass(type(value), str)
        place = {"path": list(self.names), "reference": reference}
        self.cuts.append({**place, "size": size, "shown": shown, "text": is_text})
        return True

    def text(self, value: str) -> str:
        self.characters -= len(value)
        return value


def locals_tree(variables: Any, budget: Budget | None = None) -> dict[str, Any]:
    budget = budget or Budget()
    tree: dict[str, Any] = {}
    for name in list(variables)[: MOST_ITEMS * 2]:
        if name.startswith("__") and name.endswith("__"):
            continue
        value = variables[name]
        if issubclass(type(value), types.ModuleType):
            continue
        tree[str(name)] = child(str(name), value, 0, budget)
    return tree


def value_tree(value: Any, budget: Budget | None = None) -> Any:
    return shown(value, 0, budget or Budget())


def child(name: str | int, value: Any, depth: int, budget: Budget) -> Any:
    budget.names.append(name)
    try:
        return shown(value, depth, budget)
    finally:
        budget.names.pop()


def shown(value: Any, depth: int, budget: Budget) -> Any:
    if budget.spent():
        size = size_of(value)
        if size:
            budget.cut(value, size)
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
        size = str.__len__(value)
        text = str.__getitem__(value, slice(0, LONGEST))
        return budget.text(
            text if size <= LONGEST or budget.cut(value, size, LONGEST) else f"{text}… ({size} characters)"
        )
    if issubclass(kind, int):
        number = int.__int__(value)
        if -LARGEST_NUMBER < number < LARGEST_NUMBER:
            return number
        return budget.text(str(number)) if number.bit_length() < 4_000 else f"<int of {number.bit_length()} bits>"
    if issubclass(kind, float):
        number = float.__float__(value)
        return number if math.isfinite(number) else float.__repr__(number)
    if issubclass(kind, (bytes, bytearray)):
        return budget.text(f"<{kind.__name__} of {len(value)}> {bytes(value[:40])!r}")
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
            return too_deep(value, kind, size, budget)
        tree = {}
        for key, inner in islice(dict.items(value), MOST_ITEMS):
            name = budget.text(key_text(key))
            tree[name] = child(name, inner, depth + 1, budget)
        if size > MOST_ITEMS and not budget.cut(value, size, MOST_ITEMS):
            tree["…"] = f"{size - MOST_ITEMS} more"
        return tree
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            size = base.__len__(value)
            if depth >= DEEPEST:
                return too_deep(value, kind, size, budget)
            first = enumerate(islice(base.__iter__(value), MOST_ITEMS))
            items = [child(at, inner, depth + 1, budget) for at, inner in first]
            if size > MOST_ITEMS and not budget.cut(value, size, MOST_ITEMS):
                items.append(f"… {size - MOST_ITEMS} more")
            return items
    return instance(value, kind, depth, budget)


def too_deep(value: Any, kind: type, size: int, budget: Budget) -> str:
    if size > 0:
        budget.cut(value, size)
    return f"<{kind.__name__} of {size}>"


def instance(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    # By type(), never by isinstance: that asks the value for its __class__, which node code may have defined.
    if issubclass(kind, type):
        return f"<class {type.__getattribute__(value, '__name__')}>"
    if issubclass(kind, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
        return f"<function {value.__name__}>"
    if is_trusted(kind):
        return budget.text(cut(repr(value)))
    name = f"<{kind.__module__}.{kind.__qualname__}>" if not is_node_code(kind) else f"<{kind.__qualname__}>"
    attributes = attributes_of(value)
    if attributes is None:
        return name
    if depth >= DEEPEST:
        if attributes:
            budget.cut(value, len(attributes))
        return name
    tree: dict[str, Any] = {"": name}
    for key, inner in islice(attributes.items(), MOST_ITEMS):
        text = budget.text(key_text(key))
        tree[text] = child(text, inner, depth + 1, budget)
    if len(attributes) > MOST_ITEMS and not budget.cut(value, len(attributes), MOST_ITEMS):
        tree["…"] = f"{len(attributes) - MOST_ITEMS} more"
    return tree


def attributes_of(value: Any) -> dict[Any, Any] | None:
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    if type(attributes) is not dict:
        return None
    return {key: inner for key, inner in attributes.items() if not (type(key) is str and key.startswith("_miranda"))}


# The rest of what was cut


def size_of(value: Any) -> int:
    """How many parts a value has that can be unfolded; 0 for what cannot."""
    kind = type(value)
    for base in (str, dict, list, tuple, set, frozenset):
        if issubclass(kind, base):
            return base.__len__(value)
    if table_kind(kind):
        return len(value) if value.shape else 0
    if is_trusted(kind) or issubclass(kind, (type, types.ModuleType)):
        return 0
    return len(attributes_of(value) or ())


def unfold(value: Any, start: int, references: References) -> dict[str, Any]:
    """The hundred items from `start` on with their names, or a part of a long text."""
    size = size_of(value)
    answer: dict[str, Any] = {"size": size, "entries": [], "text": None, "cuts": []}
    if issubclass(type(value), str):
        answer["text"] = str.__getitem__(value, slice(start, start + LONGEST_PART))
        return answer
    budget = Budget(references)
    for at, (name, inner) in enumerate(islice(items_of(value, start), MOST_ITEMS)):
        budget.names = [at]
        answer["entries"].append([name, shown(inner, DEEPEST - UNFOLDED_DEPTH, budget)])
    answer["cuts"] = budget.cuts
    return answer


def items_of(value: Any, start: int) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    end = start + MOST_ITEMS
    table = table_kind(kind)
    numbered: Any
    if issubclass(kind, dict):
        for key, inner in islice(dict.items(value), start, end):
            yield key_text(key), inner
        return
    if issubclass(kind, (list, tuple)):
        base = list if issubclass(kind, list) else tuple
        numbered = base.__getitem__(value, slice(start, end))
    elif issubclass(kind, (set, frozenset)):
        base = set if issubclass(kind, set) else frozenset
        numbered = islice(base.__iter__(value), start, end)
    elif table == "ndarray":
        numbered = value[start:end]
        numbered = numbered.tolist() if value.ndim == 1 else numbered
    elif table == "DataFrame":
        numbered = value.iloc[start:end].to_dict("records")
    elif table == "Series":
        numbered = value.iloc[start:end].tolist()
    else:
        for key, inner in islice((attributes_of(value) or {}).items(), start, end):
            yield key_text(key), inner
        return
    for at, inner in enumerate(numbered, start):
        yield str(at), inner


TRUSTED = ("datetime", "decimal", "fractions", "pathlib", "uuid", "numpy", "pandas", "ipaddress", "re", "miranda")


def is_trusted(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in TRUSTED or (
        kind.__module__ == "builtins" and kind.__repr__ is not object.__repr__
    )


def is_node_code(kind: type) -> bool:
    return kind.__module__.startswith("miranda_node_")


def table_kind(kind: type) -> str | None:
    package = kind.__module__.partition(".")[0]
    if (package, kind.__name__) in (("numpy", "ndarray"), ("pandas", "DataFrame"), ("pandas", "Series")):
        return kind.__name__
    return None


def tabular(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    """Arrays and tables show their shape and their head."""
    table = table_kind(kind)
    if table is None:
        return None
    if table == "ndarray":
        title, head = f"<array {value.dtype}>", value.reshape(-1)[: HEAD[table]].tolist()
    else:
        title, head = f"<{table}>", value.head(HEAD[table])
        head = head.to_dict("records") if table == "DataFrame" else head.tolist()
    tree = {"": title, "shape": list(value.shape), "head": child("head", head, depth + 1, budget)}
    if table == "DataFrame":
        tree["columns"] = [budget.text(str(column)) for column in list(value.columns)[:MOST_ITEMS]]
    if value.shape and len(value) > 0:
        budget.cut(value, len(value))
    return tree


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
