"""
The shapes of what agent and server send each other. Only type checkers import this file: `typing` costs start time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

#: Anything the agent sends to the server. What a worker sent is checked by protocol.py and has no narrower type.
Event = Mapping[str, Any]


class Command(TypedDict):
    """A command of the server. Which other fields it has depends on its name; the worker reads them."""

    command: str
    number: int
    state: NotRequired[str]
    reason: NotRequired[str | None]
    question: NotRequired[int]
    seconds: NotRequired[float]
    environments: NotRequired[str]
    uv: NotRequired[str | None]
    #: The versions of Python on this machine, separated by spaces.
    pythons: NotRequired[str]
    #: Of an interrupt: the command that it ends, if that still runs.
    of: NotRequired[int]
    #: Of an interrupt: after how many seconds the worker stops by force what does not end.
    force_after: NotRequired[float]
    #: Of a force-stop: the node.
    node: NotRequired[int | None]
    #: Of a run: its number, and for a call what it brings.
    run: NotRequired[int]
    call: NotRequired[dict[str, Any]]


class Answer(TypedDict, total=False):
    """What the server answers when a secret, a file, a result or a person is asked for."""

    value: str | None
    content: str | None
    error: str | None
    #: Of results: by key, where they come from, why they are gone, or what they depend on; and the file of one.
    found: dict[str, str]
    lost: dict[str, str]
    reads: dict[str, dict[str, Any]]
    path: str


class LogEvent(TypedDict):
    kind: Literal["log"]
    tag: int
    at: int
    text: str
    node: int | None


class Place(TypedDict):
    node: int
    line: int
    function: str


class Death(TypedDict):
    """How a worker ended that nobody had asked to end, and the nodes that ran."""

    nodes: list[Place]
    exit_code: int | None
    signal: str | None
    used_gb: float | None
    limit_gb: float | None
    traceback: str


class StateEvent(TypedDict):
    kind: Literal["state"]
    state: str
    reason: str | None
    command: int
    death: NotRequired[Death]


class GitOutcome(TypedDict):
    error: str | None
    summary: str
