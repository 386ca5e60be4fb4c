"""The types of values from JSON, for the type checker."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard


# By `type` and not `isinstance`: JSON has no subclasses, and this is asked of every value that node code sends.
def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return type(value) is dict


def is_list(value: object) -> TypeGuard[list[Any]]:
    return type(value) is list
