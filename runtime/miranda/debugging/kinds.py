"""What a class is, found out without running what node code may have defined in it or in its metaclass."""

from __future__ import annotations

import sys
import types
from typing import Any

TRUSTED = ("datetime", "decimal", "fractions", "pathlib", "uuid", "numpy", "pandas", "ipaddress", "re", "miranda")
#: Those of Python itself whose repr calls none of what they contain.
PLAIN = (complex, range, memoryview, type(NotImplemented), type(...), type(None))
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
EMPTY: dict[str, Any] = {}
VIEWS: tuple[type, ...] = (type(EMPTY.keys()), type(EMPTY.values()), type(EMPTY.items()))
#: What is shown by its shape.
TABLES = {
    ("numpy", "ndarray"): "ndarray",
    ("pandas", "DataFrame"): "DataFrame",
    ("pandas", "Series"): "Series",
    ("torch", "Tensor"): "Tensor",
    ("torch", "Parameter"): "Tensor",
}
NAME, MODULE, QUALIFIED_NAME = (type.__dict__[name] for name in ("__name__", "__module__", "__qualname__"))
ORDER, CLASS_DICT = type.__dict__["__mro__"], type.__dict__["__dict__"]


def text_of(part: Any, kind: object) -> str:
    """A name of a class, not by `kind.__name__`: that would ask its metaclass, which node code may have defined."""
    found = part.__get__(kind)
    return found if type(found) is str else "?"


def is_one_of(kind: type, kinds: tuple[type, ...]) -> bool:
    """Not by `in`: it compares by ==, which a metaclass of node code may define."""
    return any(kind is one for one in kinds)


def name_of(named: object) -> str:
    """The name of a class, or of a function."""
    kind = type(named)
    if issubclass(kind, type):
        return text_of(NAME, named)
    return text_of(kind.__dict__["__name__"], named) if is_one_of(kind, FUNCTIONS) else "?"


def module_of(kind: type) -> str:
    return text_of(MODULE, kind)


def instance_dict(value: object) -> dict[Any, Any] | None:
    """The attributes of an instance. A class may define `__dict__` itself: that is not asked."""
    for base in ORDER.__get__(type(value)):
        found = CLASS_DICT.__get__(base).get("__dict__")
        if found is None:
            continue
        is_pythons_own = type(found) is types.GetSetDescriptorType
        attributes: dict[Any, Any] | None = found.__get__(value) if is_pythons_own else None
        return None if type(attributes) is not dict else attributes
    return None


def is_trusted(kind: type) -> bool:
    if is_one_of(kind, PLAIN):
        return True
    # A class of node code may claim any module, but is not to be found there.
    return module_of(kind).partition(".")[0] in TRUSTED and is_at_home(kind)


def is_at_home(kind: type) -> bool:
    home = sys.modules.get(module_of(kind))
    return type(home) is types.ModuleType and vars(home).get(text_of(NAME, kind)) is kind


def is_node_code(kind: type) -> bool:
    return module_of(kind).startswith("miranda_node_")


def table_kind(kind: type) -> str | None:
    package, name = module_of(kind).partition(".")[0], text_of(NAME, kind)
    return TABLES.get((package, name)) if is_at_home(kind) else None
