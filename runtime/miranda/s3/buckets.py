"""The S3 storage policies of a session: which folder belongs to which, when it is downloaded and when uploaded."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from ..execution.graph import NodeState
from ..output.streams import ERROR
from ..services import StorageError
from .mirror import Mirror
from .place import Place
from .sign import Keys

#: A node that runs a thousand times in a second does not store a thousand times.
WRITE_BACK_EVERY = 2.0


class Buckets:
    def __init__(
        self,
        folder: str,
        secret: Callable[[str], str],
        record: Callable[[int, str], None],
        processes: Callable[[], list[int]],
    ) -> None:
        self.processes = processes
        self.folder = folder
        self.secret = secret
        self.record = record
        self.mirrors: dict[Place, Mirror] = {}
        #: In this run: those that answered, those that were filled, and those that could not be written back.
        self.opened: set[Place] = set()
        self.filled: set[Place] = set()
        self.failed: set[Place] = set()
        #: The last node that used each.
        self.users: dict[Place, NodeState] = {}

    def begin(self) -> None:
        self.opened.clear()
        self.filled.clear()
        self.failed.clear()

    def open(self, state: NodeState) -> None:
        """Finds out whether a node's bucket answers: better before a run than after hours of it."""
        assert isinstance(state.storage, dict)
        place = Place.of(state.storage)
        if place in self.opened:
            return
        with self.telling():
            self.mirror(place).open(self.keys(place))
        self.opened.add(place)

    def folder_of(self, state: NodeState) -> Path:
        """Filled when a run first asks for it."""
        assert isinstance(state.storage, dict)
        place = Place.of(state.storage)
        mirror = self.mirror(place)
        with mirror.lock:
            if place not in self.filled:
                self.open(state)
                with self.telling():
                    mirror.fill()
                self.filled.add(place)
            elif not os.path.isdir(mirror.folder):
                mirror.start_anew()
        mirror.in_use()
        state.bucket = mirror
        self.users[place] = state
        return Path(mirror.folder)

    def node_done(self, state: NodeState) -> None:
        mirror = state.bucket
        if mirror is None or time.monotonic() - mirror.written_at < WRITE_BACK_EVERY:
            return
        self.failed.add(mirror.place)
        with self.telling():
            mirror.write_back(leave_open=True)
        self.failed.discard(mirror.place)

    def finish(self) -> list[tuple[NodeState, StorageError]]:
        """Everything that is not stored yet; what could not be, and who used it last."""
        failures: list[tuple[NodeState, StorageError]] = []
        for place, state in self.users.items():
            if place in self.opened and place not in self.failed:
                try:
                    with self.telling():
                        self.mirrors[place].done()
                except StorageError as error:
                    failures.append((state, error))
        return failures

    def abandon_uploads(self) -> None:
        for mirror in list(self.mirrors.values()):
            if mirror.bucket is not None:
                for key in list(mirror.bucket.uploads):
                    mirror.bucket.abandon(key)

    def mirror(self, place: Place) -> Mirror:
        if place not in self.mirrors:
            name = hashlib.sha256(repr(place).encode()).hexdigest()[:8]
            own = os.path.join(self.folder, f"{place.bucket}-{name}")
            limit = int(os.environ.get("MIRANDA_DISK_BYTES") or 0)
            self.mirrors[place] = Mirror(place, own, limit, self.record, self.processes)
        return self.mirrors[place]

    def keys(self, place: Place) -> Keys | None:
        """Read again for every run: somebody may have changed them."""
        names = (place.access_key_secret, place.secret_key_secret)
        if not any(names):
            return None
        if not all(names):
            raise StorageError(f"{place}: the storage policy names only one of the two secrets.")
        return Keys(*(self.key(place, name) for name in names))

    def key(self, place: Place, name: str) -> str:
        try:
            value = self.secret(name).strip()
        except KeyError as error:
            raise StorageError(f"{place}: {error.args[0]}") from None
        if not value or not value.isascii() or not value.isprintable():
            raise StorageError(f"{place}: the secret {name} does not hold a key.")
        return value

    @contextmanager
    def telling(self) -> Generator[None]:
        """Into the log, whatever node code makes of it."""
        try:
            yield
        except StorageError as error:
            self.record(ERROR, str(error))
            raise
