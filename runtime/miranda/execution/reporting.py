"""What a run needs from the worker around it: where to report, what node code prints to, and where it stores files."""

from __future__ import annotations

from typing import Any, Protocol

from ..services import StorageError
from .graph import NodeState


class Reporter(Protocol):
    statuses: dict[int, str]
    running: int | None

    def exception(
        self, node: int, line: int, function: str, traceback: str, error: BaseException | None = None, /
    ) -> None: ...
    def planned(self, plan: list[dict[str, Any]], /) -> None: ...
    def remark(self, level: int, text: str, /) -> None: ...


class Output(Protocol):
    """
    What node code prints to. Buffered output must be sent before another node prints, or it would be taken for that
    node's.
    """

    is_live: bool
    #: Whether several threads print at the same time.
    is_shared: bool
    #: The thread that prints, and the node it prints for, while there is only one.
    alone: tuple[int, int]

    def flush(self) -> None: ...
    def share(self) -> None: ...
    def end_sharing(self) -> None: ...
    def forget(self, thread: int) -> None: ...


class Stores(Protocol):
    """The buckets of nodes whose storage policy names one."""

    def open(self, state: NodeState) -> None: ...
    def node_done(self, state: NodeState) -> None: ...
    def finish(self) -> list[tuple[NodeState, StorageError]]: ...


class Keeper(Protocol):
    """Keeps what nodes send for later sessions."""

    def begin(self, planned: list[NodeState], /) -> None: ...
    def end(self) -> None: ...


class NoOutput:
    is_live = True
    is_shared = False
    alone: tuple[int, int] = (0, 0)

    def flush(self) -> None: ...
    def share(self) -> None: ...
    def end_sharing(self) -> None: ...
    def forget(self, thread: int) -> None: ...
