"""Checks of what the worker sends: each gives a value that may be stored, or refuses it."""

from __future__ import annotations

import re

from .frames import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard

    Check = Callable[[Any], Any]


DEEPEST = 200
LARGEST_WHOLE = (1 << 53) - 1
#: What the database counts in four bytes: a larger one could not be stored, nor anything that comes after it.
LARGEST_COUNT = (1 << 31) - 1
MOST_NODES = 50_000
#: Of one value that node code shows: each costs the server a moment in which nobody else is served.
MOST_VALUES = 200_000
MISSING = object()


# By `type` and not `isinstance`: JSON has no subclasses, and this is asked of every value that node code sends.
def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return type(value) is dict


def is_list(value: object) -> TypeGuard[list[Any]]:
    return type(value) is list


def refuse(what: str) -> Violation:
    return Violation(what)


def whole(value: Any, most: int = LARGEST_WHOLE) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise refuse("a number that is none")
    return value


def count(value: Any) -> int:
    return whole(value, LARGEST_COUNT)


def line(value: Any) -> int:
    return whole(value, 1_000_000_000)


def number(value: Any) -> float:
    # A float that JSON wrote is finite: the reader refuses the others.
    if type(value) not in (int, float) or abs(value) > 1e300:
        raise refuse("a number that is none")
    return value


def truth(value: Any) -> bool:
    if type(value) is not bool:
        raise refuse("a truth value that is none")
    return value


def text(most: int, least: int = 0) -> Check:
    def check(value: Any) -> str:
        if type(value) is not str or not least <= len(value) <= most:
            raise refuse("a text that is too long or too short, or none")
        return storable(value)

    return check


def storable(value: str) -> str:
    """The database stores no null characters."""
    return value.replace("\0", "\u2400") if "\0" in value else value


def anything(value: Any) -> Any:
    left = [MOST_VALUES]
    return plain(value, 0, left)


def plain(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if depth > DEEPEST or left[0] < 0:
        raise refuse("a value that is nested too deeply or has too many parts")
    if type(value) is str:
        return storable(value)
    if type(value) is float and value - value != 0:
        raise refuse("a number that is none")
    if is_list(value):
        return [plain(inner, depth + 1, left) for inner in value]
    if is_object(value):
        return {storable(key): plain(inner, depth + 1, left) for key, inner in value.items()}
    return value


def fields(value: Any) -> dict[str, Any]:
    if not is_object(value):
        raise refuse("a value that is no object")
    return anything(value)


def optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def one_of(*names: str) -> Check:
    def check(value: Any) -> str:
        if value not in names or type(value) is not str:
            raise refuse("a name that is not on the list")
        return value

    return check


def matching(pattern: re.Pattern[str]) -> Check:
    def check(value: Any) -> str:
        if type(value) is not str or not pattern.match(value):
            raise refuse("a name that is none")
        return value

    return check


def list_of(check: Check, most: int) -> Check:
    def check_list(value: Any) -> list[Any]:
        if not is_list(value) or len(value) > most:
            raise refuse("a list that is too long, or none")
        return [check(inner) for inner in value]

    return check_list


def mapping(key: Check, check: Check, most: int = MOST_NODES) -> Check:
    def check_mapping(value: Any) -> dict[str, Any]:
        if not is_object(value) or len(value) > most:
            raise refuse("a value that is no object, or too large")
        return {key(name): check(inner) for name, inner in value.items()}

    return check_mapping


def seconds(value: Any) -> float:
    if not 0 <= number(value) <= 1e9:
        raise refuse("a time that is none")
    return value


def amount(value: Any) -> float:
    if not 0 <= number(value) <= 1e15:
        raise refuse("an amount that is none")
    return value


class Default:
    """A field that may be missing, and what it is then; `MISSING` leaves it out."""

    def __init__(self, check: Check, value: Any) -> None:
        self.check, self.value = check, value


def checked(value: Any, shape: dict[str, Check | Default]) -> dict[str, Any]:
    """The fields of the shape and no others."""
    if not is_object(value):
        raise refuse("a value that is no object")
    found: dict[str, Any] = {}
    for name, rule in shape.items():
        if isinstance(rule, Default):
            if name in value:
                found[name] = rule.check(value[name])
            elif rule.value is not MISSING:
                found[name] = rule.value
        elif name not in value:
            raise refuse(f"a message without its {name}")
        else:
            found[name] = rule(value[name])
    return found
