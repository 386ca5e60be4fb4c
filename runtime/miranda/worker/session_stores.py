"""The buckets of a session's storage policies. The worker fills and stores their folders, lanes only use them."""

from __future__ import annotations

import os
import threading

from ..execution.executor import Executor
from ..output.streams import Streams
from .questions import Questions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..s3.buckets import Buckets


class SessionStores:
    def __init__(self, executor: Executor, questions: Questions, streams: Streams) -> None:
        self.executor = executor
        self.questions = questions
        self.streams = streams
        self.folder = os.path.join(os.getcwd(), "s3")
        self.buckets: Buckets | None = None
        self.lock = threading.Lock()

    def begin(self) -> None:
        nodes = self.executor.graph.nodes.values()
        if self.buckets is None and any(isinstance(state.storage, dict) for state in nodes):
            # Only now: what it imports takes longer than everything else here.
            from ..s3.buckets import Buckets

            self.buckets = self.executor.stores = Buckets(
                self.folder,
                self.questions.read_secret,
                self.streams.record,
                lambda: [lane.pid for lane in self.executor.lanes.alive],
            )
        if self.buckets is not None:
            self.buckets.begin()

    def abandon_uploads(self) -> None:
        """A session that is ended in the middle of an upload leaves no parts of it in the bucket."""
        if self.buckets is not None:
            self.buckets.abandon_uploads()

    def folder_of(self, node: int) -> str:
        state = self.executor.graph.nodes[node]
        assert self.buckets is not None
        with self.lock:
            return str(self.buckets.folder_of(state))
