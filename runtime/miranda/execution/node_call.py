"""Calls a node's `run` with the values it was given."""

from __future__ import annotations

from typing import Any

from .values import Parcel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lanes.lane_node import LaneNode


def call(state: LaneNode) -> None:
    held = state.instance.__dict__
    for name, value in state.given:
        held[name] = value.open() if type(value) is Parcel else value
    try:
        result = state.run()  # type: ignore[misc]
        if result is not None:
            finish(result)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def finish(result: Any) -> None:
    """`async def run` is awaited, and one that yields is driven to its end, in the thread of its node."""
    import inspect

    from .generator_runs import exhaust, is_generator

    if is_generator(result):
        from ..services import progress

        exhaust(result, progress)
    elif inspect.iscoroutine(result):
        import asyncio

        asyncio.run(result)
