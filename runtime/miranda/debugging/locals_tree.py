"""
Values as a bounded JSON tree. It never calls a __repr__ that node code defines: it may raise, loop or grow. The same
goes for everything else that a class of node code can define: classes are asked by `type` itself.

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

from .kinds import (
    QUALIFIED_NAME,
    VIEWS,
    instance_dict,
    is_node_code,
    is_one_of,
    is_trusted,
    module_of,
    name_of,
    table_kind,
    text_of,
)
from .masks import Masks

DEEPEST = 6
MOST_ITEMS = 100
MOST_NODES = 5_000
#: Of all texts in one tree together.
MOST_CHARACTERS = 400_000
LONGEST = 2_000
#: Of a value of bytes.
MOST_BYTES = 40
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
    def __init__(
        self,
        references: References | None = None,
        characters: int = MOST_CHARACTERS,
        nodes: int = MOST_NODES,
        until: float | None = None,
        masks: Masks | None = None,
    ) -> None:
        self.nodes = nodes
        self.characters = characters
        self.until = time.monotonic() + PATIENCE if until is None else until
        self.masks = masks or Masks()
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
        # The namespace of a module may have other keys than names.
        if type(name) is not str or (name.startswith("__") and name.endswith("__")):
            continue
        value = variables[name]
        if issubclass(type(value), types.ModuleType):
            continue
        tree[name] = child(name, value, 0, budget)
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
        return f"<{name_of(type(value))}: {name_of(type(error))} while looking at it>"


def plain(value: Any, depth: int, budget: Budget) -> Any:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if issubclass(kind, str):
        size = str.__len__(value)
        text = budget.masks.text(str.__getitem__(value, slice(0, LONGEST + budget.masks.longest)))[:LONGEST]
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
    for base in (bytes, bytearray):
        if issubclass(kind, base):
            head = bytes(base.__getitem__(value, slice(0, MOST_BYTES + budget.masks.longest)))
            words = f"<{name_of(kind)} of {base.__len__(value)}> {budget.masks.raw(head)[:MOST_BYTES]!r}"
            return budget.text(words)
    if id(value) in budget.path:
        return f"<{name_of(kind)} that contains itself>"
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
    return f"<{name_of(kind)} of {size}>"


def instance(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    # By type(), never by isinstance: that asks the value for its __class__, which node code may have defined.
    if issubclass(kind, type):
        return f"<class {name_of(value)}>"
    if issubclass(kind, (types.FunctionType, types.BuiltinFunctionType)):
        return f"<function {value.__name__}>"
    if issubclass(kind, types.MethodType):
        return f"<function {name_of(value.__func__)}>"
    if issubclass(kind, types.ModuleType):
        name = (instance_dict(value) or {}).get("__name__")
        return f"<module {cut(name) if type(name) is str else '?'}>"
    qualified = text_of(QUALIFIED_NAME, kind)
    name = f"<{qualified}>" if is_node_code(kind) else f"<{module_of(kind)}.{qualified}>".replace("<builtins.", "<")
    if is_trusted(kind):
        if str(getattr(value, "dtype", "")) == "object":
            # Its repr would be made of those of its items.
            return {"": name, "head": child("head", list(value[: HEAD["Series"]]), depth + 1, budget)}
        return budget.text(cut(budget.masks.text(repr(value))))
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
    if is_one_of(type(value), VIEWS):
        return {"items": list(islice(iter(value), MOST_ITEMS))}
    attributes = instance_dict(value)
    if issubclass(type(value), BaseException):
        # Its repr is that of its arguments, and they may be node code's.
        return {"args": BaseException.__dict__["args"].__get__(value), **(attributes or {})}
    if attributes is None:
        return None
    return {key: inner for key, inner in attributes.items() if not (type(key) is str and key.startswith("_miranda"))}


# The rest of what was cut


def size_of(value: Any) -> int:
    """How many parts a value has that can be unfolded; 0 for what cannot."""
    kind = type(value)
    for base in (str, dict, list, tuple, set, frozenset):
        if issubclass(kind, base):
            return base.__len__(value)
    table = table_kind(kind)
    if table is not None:
        return len(value) if value.shape and table != "Tensor" else 0
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


def tabular(value: Any, kind: type, depth: int, budget: Budget) -> Any:
    """Arrays and tables show their shape and their head."""
    table = table_kind(kind)
    if table is None:
        return None
    if table == "Tensor":
        # Not its head: it may have to be copied from a device that has just failed.
        return {"": f"<Tensor {value.dtype}>", "shape": list(value.shape), "device": str(value.device)}
    if table == "ndarray":
        # By `flat`: to reshape an array whose parts are not together copies all of it.
        title, head = f"<array {value.dtype}>", value.flat[: HEAD[table]].tolist()
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
    if is_one_of(type(key), (int, float, bool, bytes)) or key is None:
        return cut(repr(key))
    if type(key) is tuple and all(is_one_of(type(part), (str, int, float)) for part in key[:10]):
        return cut(repr(key[:10]))
    return f"<{name_of(type(key))}>"


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"
