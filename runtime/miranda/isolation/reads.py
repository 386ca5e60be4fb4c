"""
Notes what a run reads besides its inputs: variables of the environment, and files that are opened through Python.
`seen.py` is what it notes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from time import time_ns
from types import FrameType
from typing import Any

from .parts import Anything
from .seen import (
    ALL,
    FOLDER_END,
    MOST_FILES,
    NOTHING,
    OF_THE_MACHINE,
    TOO_MANY_FILES,
    Seen,
    file_hash,
    folder_state,
    hash_of_names,
    is_platforms,
    names_of_all,
    short_hash,
    state_of,
    states_in,
)

#: While it runs. Where many files of a folder were read, the folder stands for them afterwards.
MOST_OPENED = 100_000
MANY_IN_FOLDER = 50
MOST_WRITTEN = 10_000
LARGEST_HASHED = 64 << 20
#: In one run; what is left is compared by size and time.
MOST_HASHED = 512 << 20
MOST_REMEMBERED = 10_000

RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/"
STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + "/"
PACKAGES = ("/site-packages/", "/dist-packages/")
IMPORTER = "<frozen importlib._bootstrap>"
#: Functions there read for whoever calls them.
READERS: tuple[Any, ...] = (os.getenv, Mapping.get, os.path.expandvars, os.path.abspath)  # pyright: ignore
PASSED_ON = frozenset(one.__code__.co_filename for one in READERS)

Environ: Any = type(os.environ)
plain_get, plain_iterate = Environ.__getitem__, Environ.__iter__
#: The recording that is under way, if any.
current: Recording | None = None
is_hooked = False


class Reads:
    """`base_environ` holds the variables as they are for every node. Paths below `folder` are kept relative to it."""

    def __init__(self, base_environ: Mapping[str, str], folder: str | None = None) -> None:
        self.environ = base_environ
        self.folder = os.path.join(folder or os.getcwd(), "")
        self.skipped = skipped_folders(base_environ)
        #: Hashes of files as they were, so that a file which is read in every run is hashed once.
        self.known: dict[tuple[str, int, int], str] = {}

    def begin(self) -> None:
        global current  # noqa: PLW0603 (one node runs at a time)
        hook_opens()
        current = Recording(self.folder, self.skipped)
        Environ.__getitem__, Environ.__iter__ = get_and_record, iterate_and_record

    def end(self) -> Seen:
        global current
        recording, current = current, None
        Environ.__getitem__, Environ.__iter__ = plain_get, plain_iterate
        if recording is None or recording.is_empty:
            return NOTHING
        names = recording.names
        environment = {name: short_hash(name, self.environ) for name in sorted(names)}
        if recording.is_all:
            environment.update((name, short_hash(name, self.environ)) for name in names_of_all(self.environ))
            environment[ALL] = hash_of_names(self.environ)
        files = self.folders_of(recording)
        hashed = 0
        for path, (full, size, time) in sorted(recording.files.items()):
            if time >= recording.began and state_of(full) == (-1, 0):
                # Made for this run alone, by a program that it started, and removed.
                continue
            text = ""
            if 0 <= size <= LARGEST_HASHED and hashed + size <= MOST_HASHED:
                hashed += size
                text = self.hash_of(full, size, time)
            files[path] = [size, time, text]
        incomplete = recording.incomplete or (TOO_MANY_FILES if len(files) > MOST_FILES else "")
        if incomplete:
            files.clear()
        written = [path.removeprefix(self.folder) for path in recording.written if path.startswith(self.folder)]
        kept = sorted(path for path in written if not is_platforms_file(path))
        return Seen(environment, files, incomplete, kept[:MOST_FILES])

    def folders_of(self, recording: Recording) -> dict[str, list[Any]]:
        """Folders of which many files were read. Those files are taken out of the recording."""
        if len(recording.files) <= MANY_IN_FOLDER:
            return {}
        by_folder: dict[str, list[str]] = {}
        for path in recording.files:
            by_folder.setdefault(os.path.dirname(path), []).append(path)
        found: dict[str, list[Any]] = {}
        for folder, paths in by_folder.items():
            if len(paths) <= MANY_IN_FOLDER:
                continue
            full = os.path.dirname(recording.files[paths[0]][0])
            states = states_in(full)
            for path in paths:
                _, size, time = recording.files.pop(path)
                if states.get(os.path.basename(path), (-1, 0)) != (size, time):
                    recording.incomplete = f"The file {path} changed while it was read."
            found[(folder or ".") + FOLDER_END] = folder_state(states)
        return found

    def hash_of(self, path: str, size: int, time: int) -> str:
        """Empty when the run itself has changed the file since: nothing will be equal to what it read."""
        key = (path, size, time)
        found = self.known.get(key)
        if found is None:
            found = file_hash(path, size, time)
            if len(self.known) >= MOST_REMEMBERED:
                self.known.clear()
            self.known[key] = found
        return found if state_of(path) == (size, time) else ""


class Recording:
    def __init__(self, folder: str, skipped: tuple[str, ...]) -> None:
        self.folder = folder
        self.skipped = skipped
        #: In microseconds. The times of files lag a little behind.
        self.began = time_ns() // 1_000 - 20_000
        self.names = set[str]()
        self.is_all = False
        #: By the path that is kept: the full path, the size and the time.
        self.files: dict[str, tuple[str, int, int]] = {}
        self.written = set[str]()
        self.incomplete = ""

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.files or self.written or self.is_all or self.incomplete)

    def asked(self, name: Any, frame: FrameType | None) -> None:
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        if not isinstance(name, str) or name in self.names or is_platforms(name) or not is_of_node(frame):
            return
        if self.is_all and name in OF_THE_MACHINE:
            # A copy reads each of them.
            return
        if len(self.names) >= MOST_FILES:
            self.incomplete = f"More than {MOST_FILES:,} environment variables were read."
        else:
            self.names.add(name)

    def opened(self, path: Any, mode: Any, flags: Any) -> None:
        reads, writes = directions(mode, flags)
        full = full_path(path)
        if full is None or full.startswith(self.skipped) or is_of_python(full):
            return
        if reads and full not in self.written:
            self.read(full)
        if writes:
            self.write(full)

    def read(self, full: str) -> None:
        kept = full.removeprefix(self.folder)
        if kept in self.files or (kept != full and is_platforms_file(kept)):
            return
        found = state_of(full)
        if found is None:
            return
        if len(self.files) >= MOST_OPENED:
            self.incomplete = f"More than {MOST_OPENED:,} files were read."
        else:
            self.files[kept] = (full, *found)

    def write(self, full: str) -> None:
        if full.removeprefix(self.folder) in self.files:
            return
        if len(self.written) >= MOST_WRITTEN:
            self.incomplete = f"More than {MOST_WRITTEN:,} files were written."
        else:
            self.written.add(full)

    def renamed(self, source: Any, target: Any) -> None:
        old, new = full_path(source), full_path(target)
        if old in self.written and new is not None:
            self.write(new)


# The environment


def get_and_record(environ: Any, name: Any) -> Any:
    recording = current
    if recording is not None:
        try:
            recording.asked(name, sys._getframe(1))
        except Anything:
            recording.incomplete = "It is not known which environment variables were read."
    return plain_get(environ, name)


def iterate_and_record(environ: Any) -> Iterator[Any]:
    recording = current
    if recording is not None and is_of_node(sys._getframe(1)):
        recording.is_all = True
    return plain_iterate(environ)


def is_of_node(frame: FrameType | None) -> bool:
    """Whether it is read for node code: by it, or by a library that it calls and not just imports."""
    while frame is not None and frame.f_code.co_filename in PASSED_ON:
        frame = frame.f_back
    if frame is None:
        return False
    file = frame.f_code.co_filename
    if file.startswith(RUNTIME):
        return False
    if any(part in file for part in PACKAGES):
        return not is_importing(frame)
    return not file.startswith((STANDARD, "<frozen "))


def is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == IMPORTER:
            return True
        frame = frame.f_back
    return False


# Files


def hook_opens() -> None:
    """Such a hook stays for good. It costs the least that one can while nothing is recorded."""
    global is_hooked  # noqa: PLW0603 (one process)
    if not is_hooked:
        is_hooked = True
        sys.addaudithook(on_event)


def on_event(event: str, arguments: tuple[Any, ...]) -> None:
    if current is None or event not in ("open", "os.rename"):
        return
    recording = current
    try:
        # The caller of what opens. What the worker reads is not read by the node.
        if sys._getframe(1).f_code.co_filename.startswith(RUNTIME):
            return
        if event == "open":
            recording.opened(*arguments[:3])
        else:
            recording.renamed(arguments[0], arguments[1])
    except Anything:
        recording.incomplete = "It is not known which files were read."


def directions(mode: Any, flags: Any) -> tuple[bool, bool]:
    """Whether it is opened for reading, and for writing."""
    if isinstance(mode, str):
        both = "+" in mode
        return ("r" in mode or (both and "a" in mode)), ("r" not in mode or both)
    access = flags & os.O_ACCMODE
    is_new = bool(flags & (os.O_TRUNC | os.O_EXCL))
    return access != os.O_WRONLY and not is_new, access != os.O_RDONLY


def full_path(path: Any) -> str | None:
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    # A number is a file that is open already.
    return os.path.abspath(path) if isinstance(path, str) else None


def is_of_python(path: str) -> bool:
    return "/__pycache__/" in path or any(part in path for part in PACKAGES)


def is_platforms_file(path: str) -> bool:
    """
    Below the session's folder. Files of fields are named by their hash, which is a part of the field already. Of
    buckets nothing is known, as of everything in the network.
    """
    first, _, rest = path.partition("/")
    name = rest.partition("/")[0]
    is_of_field = first == "files" and len(name) == 64 and not name.strip("0123456789abcdef")
    return first in (".miranda", "s3") or is_of_field


def skipped_folders(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Of Python, of the runtime and of the machine; and caches, which hold what can be made again."""
    home = environ.get("HOME", "")
    folders = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.dirname(RUNTIME))]
    folders += ["/proc", "/sys", "/dev", "/etc", "/usr/share", "/usr/lib", "/run/systemd"]
    folders += [environ.get("XDG_CACHE_HOME", ""), environ.get("MPLCONFIGDIR", "")]
    folders += [os.path.join(home, name) for name in (".cache", ".config/matplotlib")] if home else []
    return tuple({os.path.abspath(folder) + "/" for folder in folders if folder.strip("/")})
