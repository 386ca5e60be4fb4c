"""What a run needs from the worker around it: where to report, and where it stores files."""

from __future__ import annotations

from typing import Any, Protocol

from ..services import StorageError
from .graph import NodeState


class Reporter(Protocol):
    statuses: dict[int, str]

    def exception(self, node: int, line: int, function: str, traceback: str, /) -> None: ...
    def planned(self, plan: list[dict[str, Any]], /) -> None: ...
    def remark(self, level: int, text: str, /) -> None: ...
    def show_bars(self, bars: dict[int, list[dict[str, Any]]], /) -> None: ...


class Stores(Protocol):
    """The buckets of nodes whose storage policy names one."""

    def open(self, state: NodeState) -> None: ...
    def node_done(self, state: NodeState) -> None: ...
    def finish(self) -> list[tuple[NodeState, StorageError]]: ...


class Keeper(Protocol):
    """Keeps what nodes send for later sessions."""

    def begin(self, planned: list[NodeState], /) -> None: ...
    def end(self) -> None: ...
