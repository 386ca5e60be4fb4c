"""
What the worker asks about results. Its files are opened without following a link, and what comes from the server is
checked before the worker is told where it is.
"""

from __future__ import annotations

import itertools
import json
import os
import stat
import threading
import time

from ..beneath import FOLDER_FLAGS, WRITTEN
from ..http import Unreachable
from ..server_client import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ..http import Connection
    from ..message_types import Answer

FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
PIECE = 1 << 20
#: Bytes of what a result depends on: `readsLength` of worker.ts.
MOST_READS = 200_000
#: How long a server that is away is waited for. A result is worth less than the session's other messages.
PATIENCE = 60.0
SILENCE = 120.0
#: In seconds. The server ends a request that takes longer: `requestTimeout` of http-server.ts.
LONGEST_UPLOAD = 120.0
REQUEST_TIMEOUT = 408


class Unusable(Exception):
    """Why a result cannot be kept or loaded, in words that follow a colon."""


class ResultQuestions:
    def __init__(self, settings: dict[str, str]) -> None:
        self.settings = settings
        self.path = f"/api/runner/{settings['job']}/results"
        self.folder = settings.get("results", "")
        self.most = int(settings.get("result_bytes") or 0)
        self.lock = threading.Lock()
        #: The sizes of those that are loaded.
        self.loaded: dict[str, int] = {}

    def ask(self, what: str, question: Mapping[str, Any]) -> Answer:
        """Always an answer: node code, or the thread that keeps results, waits for it."""
        connection = connect(self.settings, SILENCE)
        try:
            if what == "find_results":
                return self.find(connection, question["keys"])
            if what == "load_result":
                with self.lock:
                    return {"path": self.load(connection, question["key"])}
            self.keep(connection, question)
            return {}
        except Unusable as unusable:
            return {"error": str(unusable)}
        except (OSError, ValueError, KeyError) as error:
            return {"error": f"{type(error).__name__}: {error}."}
        finally:
            connection.close()

    def find(self, connection: Connection, keys: list[str]) -> Answer:
        body = json.dumps({"keys": keys}).encode()
        answer = json.loads(self.patiently(lambda: connection.request("POST", f"{self.path}/find", body)))
        return {"found": answer["found"], "lost": answer["lost"], "reads": answer["reads"]}

    # To the server

    def keep(self, connection: Connection, question: Mapping[str, Any]) -> None:
        # Before the content, so that both are stored or neither is.
        reads = json.dumps(question["reads"], separators=(",", ":")).encode()
        if len(reads) > MOST_READS:
            raise Unusable("it depends on too many files.")
        numbers = "&".join(f"{name}={question[name]}" for name in ("node", "run", "seconds"))
        file = open_written(self.settings["folder"], question["file"])
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise Unusable("its file is none.")
            if found.st_size > self.most:
                raise Unusable(f"it has {found.st_size / 1e9:.3g} GB, and {self.most / 1e9:.3g} GB is the most.")
            path = f"{self.path}/{question['key']}?{numbers}&reads={len(reads)}"
            self.patiently(lambda: self.upload(connection, path, reads, file, found.st_size))
        finally:
            os.close(file)

    def upload(self, connection: Connection, path: str, reads: bytes, file: int, size: int) -> tuple[int, bytes]:
        """Not tried again when it was too slow: it would be the next time, and other results wait for it."""
        began = time.monotonic()
        try:
            body = itertools.chain((reads,), pieces(file, size))
            status, answer = connection.upload(path, len(reads) + size, body)
        except Unreachable:
            # The server closes the connection, and its answer may be lost with it.
            if time.monotonic() - began < LONGEST_UPLOAD:
                raise
            status, answer = REQUEST_TIMEOUT, b""
        if status == REQUEST_TIMEOUT:
            raise Unusable(f"sending its {size / 1e9:.3g} GB took longer than {LONGEST_UPLOAD / 60:.0f} minutes.")
        return status, answer

    # From the server

    def load(self, connection: Connection, key: str) -> str:
        path = os.path.join(self.folder, key)
        if key in self.loaded:
            return path
        # A folder of the session's own. In a container node code may write there too, but only for itself.
        os.makedirs(self.folder, mode=0o755, exist_ok=True)
        folder = os.open(self.folder, FOLDER_FLAGS)
        draft = f"{key}.part"
        try:
            remove(folder, draft)
            size = self.patiently(lambda: self.download(connection, folder, draft, key))
            os.rename(draft, key, src_dir_fd=folder, dst_dir_fd=folder)
            self.loaded[key] = size
            return path
        finally:
            remove(folder, draft)
            os.close(folder)

    def download(self, connection: Connection, folder: int, draft: str, key: str) -> tuple[int, Any]:
        status, headers, parts = connection.download(f"{self.path}/{key}")
        if status >= 300:
            return status, b"".join(parts)
        size = int(headers["content-length"])
        room = int(self.settings["disk_bytes"])
        if 0 < room < size + sum(self.loaded.values()):
            raise Unusable("the session has no room for it.")
        remove(folder, draft)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(draft, flags, 0o644, dir_fd=folder)
        # Imported here: a session starts without it.
        from hashlib import sha256

        sum_of_it, have = sha256(), 0
        try:
            os.fchmod(file, 0o644)
            for part in parts:
                sum_of_it.update(part)
                have += len(part)
                view = memoryview(part)
                while view:
                    view = view[os.write(file, view) :]
        finally:
            os.close(file)
        if have != size or sum_of_it.hexdigest() != headers.get("x-miranda-sha256"):
            raise Unusable("it did not arrive as it was kept.")
        return status, size

    def patiently(self, request: Callable[[], tuple[int, Any]]) -> Any:
        until = time.monotonic() + PATIENCE
        pause = 0.1
        while True:
            try:
                status, answer = request()
                if status < 300:
                    return answer
                if status < 500 or time.monotonic() > until:
                    raise Unusable(words_of(answer))
            except Unreachable as error:
                if time.monotonic() > until:
                    raise Unusable(f"the server cannot be reached ({error}).") from None
            time.sleep(pause)
            pause = min(pause * 2, 5.0)

    def tidy_up(self) -> None:
        """The files of ended sessions are kept for weeks; these are copies."""
        import shutil

        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        try:
            # What a worker left that was killed while it wrote.
            above = open_folders(self.settings["folder"], WRITTEN[:-1])
            shutil.rmtree(WRITTEN[-1], ignore_errors=True, dir_fd=above)
            os.close(above)
        except OSError:
            pass


def words_of(answer: bytes) -> str:
    words = answer.decode("utf-8", "replace").strip()[:500]
    return words[:1].lower() + words[1:] or "the server refused it."


def open_written(folder: str, name: str) -> int:
    """A file of the worker."""
    at = open_folders(folder, WRITTEN)
    try:
        return os.open(name, FILE_FLAGS, dir_fd=at)
    finally:
        os.close(at)


def open_folders(folder: str, parts: tuple[str, ...]) -> int:
    """A folder that node code may write. None of the folders on the way may be a link by now."""
    at = os.open(folder, FOLDER_FLAGS)
    for part in parts:
        try:
            inner = os.open(part, FOLDER_FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = inner
    return at


def pieces(file: int, size: int) -> Iterator[bytes]:
    at = 0
    while at < size:
        data = os.pread(file, min(PIECE, size - at), at)
        if not data:
            raise Unusable("its file was cut while it was sent.")
        at += len(data)
        yield data


def remove(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        pass
