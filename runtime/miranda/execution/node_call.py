"""Calls a node's `run` with the values it was given."""

from __future__ import annotations

from typing import Any

from .graph import NodeState
from .values import Parcel


def call(state: NodeState) -> None:
    held = state.instance.__dict__
    for name, value in state.given:
        held[name] = value.open() if type(value) is Parcel else value
    try:
        result = state.run()  # type: ignore[misc]
        if result is not None:
            wait_for_coroutine(result)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def wait_for_coroutine(result: Any) -> None:
    """`async def run` is awaited, in the thread of its node."""
    import inspect

    if inspect.iscoroutine(result):
        import asyncio

        asyncio.run(result)
