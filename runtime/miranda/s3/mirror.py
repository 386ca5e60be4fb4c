"""A folder of the session that mirrors everything below a bucket's prefix; changes are uploaded."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import time
from collections.abc import Callable

from ..output.streams import INFO, WARNING
from ..services import StorageError
from .answers import Entry
from .bucket import Bucket
from .connections import Problem
from .journal import Journal, Known
from .names import being_written, find_files, is_file_name, listed, parents_of, why_no_key
from .place import Place
from .sign import Keys
from .transfer import Progress, amount, files, move_all

#: Two changes within one tick of the file system's clock look like one.
TICK = 0.02


class Mirror:
    def __init__(
        self,
        place: Place,
        own: str,
        most_bytes: int,
        record: Callable[[int, str], None],
        processes: Callable[[], list[int]] = lambda: [os.getpid()],
    ) -> None:
        self.place = place
        #: Those in which node code runs.
        self.processes = processes
        #: What node code sees.
        self.folder = os.path.join(own, "files")
        self.parts = os.path.join(own, "parts")
        #: There as long as node code may have left something that is not in the bucket. The agent looks for it.
        self.unstored = os.path.join(own, "unstored")
        self.most_bytes = most_bytes
        self.record = record
        self.lock = threading.RLock()
        self.bucket: Bucket | None = None
        self.part = itertools.count()
        self.written_at = float("-inf")
        #: Names that cannot be stored: each is reported once.
        self.reported: set[str] = set()
        os.makedirs(self.folder, exist_ok=True)
        shutil.rmtree(self.parts, ignore_errors=True)
        os.makedirs(self.parts)
        self.journal = Journal(os.path.join(own, "journal"))

    def open(self, keys: Keys | None) -> None:
        """Finds out whether the bucket answers, with the keys as they are now."""
        with self.lock:
            if self.bucket is None or self.bucket.keys != keys:
                self.bucket = Bucket(self.place, keys)
            try:
                self.bucket.page(most=1)
            except Problem as problem:
                raise self.error(str(problem)) from None

    def error(self, words: str) -> StorageError:
        return StorageError(f"{self.place}: {words}.")

    # From the bucket

    def fill(self) -> None:
        """What is new or changed there; what was not stored yet stays as it is here."""
        with self.lock:
            assert self.bucket is not None
            try:
                entries = self.listing(self.bucket)
            except Problem as problem:
                raise self.error(str(problem)) from None
            os.makedirs(self.folder, exist_ok=True)
            here, _ = find_files(self.folder)
            self.drop_gone(entries, here)
            wanted = [entry for name, entry in entries.items() if self.is_wanted(name, entry, here)]
            if wanted:
                self.fetch(wanted)

    def listing(self, bucket: Bucket) -> dict[str, Entry]:
        start = self.place.key_start
        found: dict[str, Entry] = {}
        left_out: list[str] = []
        total = 0
        for entry in bucket.entries():
            name = entry.key.removeprefix(start)
            if entry.key.endswith("/") and entry.size == 0:
                continue
            if entry.key.startswith(start) and is_file_name(name):
                found[name] = entry
                total += entry.size
            else:
                left_out.append(entry.key)
            if len(found) + len(left_out) > self.place.most_files:
                raise Problem(f"it holds more than {self.place.most_files} files; name a prefix with fewer")
        if 0 < self.most_bytes < total:
            raise Problem(f"it holds {amount(total)}, and a session has {amount(self.most_bytes)} of disk")
        below_files = [name for name in found if any(parent in found for parent in parents_of(name))]
        left_out += [found.pop(name).key for name in below_files]
        if left_out:
            self.record(WARNING, f"{self.place}: left out, since they cannot be files here: {listed(left_out)}")
        return found

    def drop_gone(self, entries: dict[str, Entry], here: dict[str, os.stat_result]) -> None:
        """What somebody deleted in the bucket goes here too, unless it was changed here."""
        for name, known in list(self.journal.known.items()):
            if name in entries:
                continue
            info = here.get(name)
            if info is not None and known.is_as(info):
                os.unlink(os.path.join(self.folder, name))
                here.pop(name)
            self.journal.forget(name)

    def is_wanted(self, name: str, entry: Entry, here: dict[str, os.stat_result]) -> bool:
        known, info = self.journal.known.get(name), here.get(name)
        if known is None:
            return info is None
        if info is not None and not known.is_as(info):
            return False
        return known.tag != entry.tag

    def fetch(self, entries: list[Entry]) -> None:
        size = sum(entry.size for entry in entries)
        progress = Progress(f"{self.place}: fetched", len(entries), size, self.record)
        failures = move_all(entries, lambda entry: self.fetch_one(entry, progress), progress)
        if failures:
            entry, words = failures[0]
            raise self.error(f"{self.name_of(entry)} could not be fetched: {words}")
        self.record(INFO, f"{self.place}: fetched {files(len(entries))}, {amount(size)}")

    def name_of(self, entry: Entry) -> str:
        return entry.key.removeprefix(self.place.key_start)

    def fetch_one(self, entry: Entry, progress: Progress) -> None:
        """Under another name first: node code finds all of a file or nothing."""
        assert self.bucket is not None
        part = os.path.join(self.parts, str(next(self.part)))
        target = os.path.join(self.folder, self.name_of(entry))
        try:
            fetched = self.bucket.fetch(entry.key, part, progress.add)
            if fetched.modified is not None:
                os.utime(part, (fetched.modified, fetched.modified))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.replace(part, target)
            self.journal.set(self.name_of(entry), Known.of(fetched.tag, os.lstat(target)))
        except Problem as problem:
            # Deleted since it was listed.
            if problem.status != 404:
                raise
        finally:
            if os.path.exists(part):
                os.unlink(part)

    # To the bucket

    def write_back(self, leave_open: bool = False) -> None:
        """What is new, changed or gone here. With `leave_open` not what some node has open for writing."""
        with self.lock:
            self.written_at = time.monotonic()
            try:
                if not os.path.isdir(self.folder):
                    return self.start_anew()
                here, others = find_files(self.folder)
            except OSError as error:
                raise self.error(f"the folder cannot be read: {error}") from None
            if len(here) > self.place.most_files:
                raise self.error(f"nothing is stored: the folder has more than {self.place.most_files} files")
            self.tell_others(others)
            known = self.journal.known
            changed = [name for name, info in here.items() if name not in known or not known[name].is_as(info)]
            if changed and leave_open:
                written = being_written(self.folder, self.processes())
                changed = [name for name in changed if name not in written]
            hidden = set(others)
            gone = [n for n in known if n not in here and not hidden.intersection((n, *parents_of(n)))]
            # First what is new: a file that was renamed is never in neither place.
            if changed:
                self.store(changed, sum(here[name].st_size for name in changed))
            if gone:
                self.remove(gone)

    def in_use(self) -> None:
        open(self.unstored, "w").close()

    def done(self) -> None:
        """After a run: everything is in the bucket."""
        with self.lock:
            self.write_back()
            if os.path.exists(self.unstored):
                os.unlink(self.unstored)

    def start_anew(self) -> None:
        os.makedirs(self.folder)
        self.journal.forget_all()
        self.record(WARNING, f"{self.place}: the folder itself was deleted; nothing is deleted in the bucket")

    def tell_others(self, others: list[str]) -> None:
        new = [name for name in others if name not in self.reported]
        self.reported.update(new)
        if new:
            self.record(WARNING, f"{self.place}: not stored, since they are links or no files: {listed(new)}")

    def store(self, names: list[str], size: int) -> None:
        assert self.bucket is not None
        start = self.place.key_start
        impossible = [(name, why) for name in names if (why := why_no_key(start + name)) is not None]
        possible = sorted({*names} - {name for name, _ in impossible})
        progress = Progress(f"{self.place}: stored", len(possible), size, self.record)
        failures = move_all(possible, lambda name: self.store_one(name, progress), progress) + impossible
        if failures:
            name, words = failures[0]
            left = len(names) - progress.done - 1
            more = f"; {files(left)} more {'waits' if left == 1 else 'wait'} here to be stored" if left else ""
            raise self.error(f"{name} could not be stored: {words}{more}")
        self.record(INFO, f"{self.place}: stored {files(len(possible))}, {amount(size)}")

    def store_one(self, name: str, progress: Progress) -> None:
        assert self.bucket is not None
        path = os.path.join(self.folder, name)
        try:
            info = os.lstat(path)
            if time.time() - info.st_mtime < TICK:
                time.sleep(TICK)
                info = os.lstat(path)
        except FileNotFoundError:
            return
        tag = self.bucket.store(self.place.key_start + name, path, info.st_size, progress.add)
        self.journal.set(name, Known.of(tag, info))

    def remove(self, names: list[str]) -> None:
        progress = Progress(f"{self.place}: deleted", len(names), 0, self.record)
        failures = move_all(names, self.remove_one, progress)
        if failures:
            name, words = failures[0]
            raise self.error(f"{name} could not be deleted: {words}")
        self.record(INFO, f"{self.place}: deleted {files(len(names))}")

    def remove_one(self, name: str) -> None:
        assert self.bucket is not None
        if not self.bucket.remove(self.place.key_start + name, self.journal.known[name].tag):
            self.record(
                WARNING, f"{self.place}: {name} was deleted here but has changed in the bucket, and stays there"
            )
        self.journal.forget(name)
