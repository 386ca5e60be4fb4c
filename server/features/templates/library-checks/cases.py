"""One example for every node of the library, on real data, with what it must do."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

from bench import Result, run_node

STORAGE = pathlib.Path.cwd()


class Case(NamedTuple):
    inputs: Callable[[], dict[str, Any]]
    values: dict[str, Any]
    check: Callable[[Result], bool]


CASES: dict[str, Case] = {}


def nothing() -> dict[str, Any]:
    return {}


def case(
    key: str,
    /,
    inputs: Callable[[], dict[str, Any]] = nothing,
    check: Callable[[Result], bool] | None = None,
    **values: Any,
) -> None:
    """Without a check of its own, a node must show or send something."""
    assert key not in CASES, key
    CASES[key] = Case(inputs, values, check or (lambda one: bool(one.sent or one.shown)))


@functools.cache
def made(key: str, transmitter: str, /, **values: Any) -> Any:
    """What a node of the library sends: the data of the examples comes from its own sources."""
    return run_node(key, {}, values, STORAGE)[transmitter]


@functools.cache
def trained(key: str, source: str, /, **values: Any) -> tuple[Any, Any, Any]:
    """A model of the library, and the rows that it learnt from and those that it has not seen."""
    table = made(source, "table", **values)
    parts = run_node("split-table", {"table": table}, {}, STORAGE)
    model = run_node(key, {"table": parts["train"]}, {}, STORAGE)["model"]
    return model, parts["train"], parts["test"]


def tested(key: str, source: str, /, **values: Any) -> Callable[[], dict[str, Any]]:
    def inputs() -> dict[str, Any]:
        model, _, test = trained(key, source, **values)
        return {"model": model, "table": test}

    return inputs


def table_of(key: str, /, **values: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {"table": made(key, "table", **values)}


def has_picture(one: Result) -> bool:
    return any("image/png" in bundle for bundle in one.shown)


def columns(one: Result, transmitter: str) -> list[str]:
    return list(one[transmitter].columns)
