"""What a lane knows of one node whose code it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..isolation.seen import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event, Thread

    from ..execution.loader import Loaded
    from ..isolation.process_state import Home
    from ..isolation.reads import Seen
    from ..s3.mirror import Mirror


class LaneNode:
    __slots__ = (
        "asked_at",
        "away",
        "bound",
        "bucket",
        "cut",
        "cut_at",
        "evaluated",
        "fixed",
        "following",
        "given",
        "held",
        "home",
        "id",
        "instance",
        "is_inert",
        "is_open",
        "loaded",
        "made_with",
        "moved",
        "name",
        "queued",
        "receiver",
        "run",
        "secretive",
        "seen",
        "size",
        "source",
        "storage",
        "thread",
        "transmitter",
        "unanswered",
        "until",
        "values",
        "wake",
    )  # fmt: skip

    def __init__(self, node_id: int) -> None:
        self.id = node_id
        self.name = ""
        self.source = ""
        #: A folder, or the settings of an S3 bucket.
        self.storage: str | dict[str, Any] | None = None
        self.bucket: Mirror | None = None
        self.values: dict[str, Any] = {}
        #: What constants of other nodes give to its fields.
        self.fixed: dict[str, Any] = {}
        self.loaded: Loaded | None = None
        self.instance: Any = None
        self.run: Callable[[], Any] | None = None
        #: What the process is like for it; None when it shares that with others.
        self.home: Home | None = None
        #: Its code cannot touch the state of the process.
        self.is_inert = False
        #: How many attributes its instance had when it was made: with more it holds something of its own.
        self.size = 0
        #: The number of the run for which its settings were set.
        self.bound = -1
        #: Has used a secret or a password since its code was loaded, so it may hold it.
        self.secretive = False
        #: Somebody evaluated code in it while it was paused.
        self.evaluated = False
        #: What was read while its instance was made and set up, and that with what its present run has read.
        self.made_with: Seen = NOTHING
        self.seen: Seen | None = None
        #: The one node that its values go to, where that is fired here too, and by which edge.
        self.following: LaneNode | None = None
        self.transmitter = self.receiver = ""
        self.queued = 0
        self.rest()

    def rest(self) -> None:
        """None of its code runs."""
        #: What it was fired with, by receiver: kept because another try needs it once more.
        self.given: list[tuple[str, Any]] = []
        self.thread = 0
        #: Whether its code may be left by an exception from outside; see node_threads.py.
        self.is_open = False
        #: Seconds since it began that are not its own: those of a pause, and those in which it waits for its readers.
        self.away = 0.0
        #: What it sent in this try, where a later one may send it again.
        self.held: list[tuple[str, Any]] | None = None
        #: Why it is to end: "interrupt" or "timeout".
        self.cut: str | None = None
        self.cut_at = 0.0
        self.asked_at = 0.0
        self.wake: Event | None = None
        #: What it has sent to the node that follows here, as long as that is all and nobody was told.
        self.moved: tuple[str, Any, str] | None = None
        #: How many of its values the worker has not answered yet.
        self.unanswered = 0
        #: When its time is over.
        self.until: float | None = None


def is_own_thread(thread: Thread, node: LaneNode) -> bool:
    """Whether it runs a function that the code of the node defines."""
    filename = node.loaded.filename if node.loaded is not None else ""
    for function in (getattr(thread, "_target", None), type(thread).run):
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is not None and code.co_filename == filename:
            return True
    return False
