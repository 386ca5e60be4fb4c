"""
What a run read besides its inputs, as it is kept and compared: a result is worth something as long as these are the
same. `reads.py` notes it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_FILES = 1_000
TOO_MANY_FILES = f"More than {MOST_FILES:,} files were read."
#: A folder that stands for its files has a path with this at the end.
FOLDER_END = "/"
#: Under this name stands which variables there are, when code went through all of them.
ALL = "*"
#: The platform sets these, in every session to something else.
OURS = frozenset({"PATH", "PYTHONPATH", "VIRTUAL_ENV", "PYTHONUNBUFFERED", "MPLCONFIGDIR"})
OUR_BEGINNINGS = ("MIRANDA_", "MLFLOW_")
#: Those who read one of these by name mean it. Those who copy all variables for a child process do not.
OF_THE_MACHINE = frozenset({*("HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "USER", "LOGNAME", "HOSTNAME")})


class Seen(NamedTuple):
    """Everything in it can be written as JSON."""

    #: Short hashes of values; "" where there was no such variable.
    environment: dict[str, str]
    #: By path: size, time in microseconds, hash or "". A size of -1: there was no such file.
    files: dict[str, list[Any]]
    #: Why it is not all, as a sentence; "" when it is.
    incomplete: str = ""
    #: Files in the session's folder that it wrote, as in `files`.
    written: list[str] = []  # noqa: RUF012 (nobody adds to it)


NOTHING = Seen({}, {})
INCOMPLETE = Seen({}, {}, "It is not known what it read.")


def is_platforms(name: str) -> bool:
    return name in OURS or name.startswith(OUR_BEGINNINGS)


def names_of_all(environ: Mapping[str, str]) -> list[str]:
    names = sorted(name for name in environ if not is_platforms(name) and name not in OF_THE_MACHINE)
    return names[:MOST_FILES]


def short_hash(name: str, environ: Mapping[str, str]) -> str:
    value = environ.get(name)
    # With its name: equal values of two variables do not show.
    return "" if value is None else digest(f"{name}={value}".encode("utf-8", "surrogateescape"))


def hash_of_names(environ: Mapping[str, str]) -> str:
    return digest("\0".join(names_of_all(environ)).encode("utf-8", "surrogateescape"))


def digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()[:16]


def state_of(path: str) -> tuple[int, int] | None:
    """Size and time; None for what is no regular file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return (-1, 0)
    return (found.st_size, found.st_mtime_ns // 1_000) if stat.S_ISREG(found.st_mode) else None


def states_in(folder: str) -> dict[str, tuple[int, int]]:
    """Of every regular file of a folder, by name."""
    found: dict[str, tuple[int, int]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file():
                    known = entry.stat()
                    found[entry.name] = (known.st_size, known.st_mtime_ns // 1_000)
    except OSError:
        pass
    return found


def folder_state(states: dict[str, tuple[int, int]]) -> list[Any]:
    """How many files, the newest time, and a hash of their names, sizes and times."""
    text = "\n".join(f"{name}\0{size}\0{time}" for name, (size, time) in sorted(states.items()))
    newest = max((time for _, time in states.values()), default=0)
    return [len(states), newest, digest(text.encode("utf-8", "surrogateescape"))]


def file_hash(path: str, size: int, time: int) -> str:
    """Empty when the file is another by now."""
    import hashlib

    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
    return found if state_of(path) == (size, time) else ""


def both(first: Seen, second: Seen) -> Seen:
    """What the making of an instance read and what its run read. Of a file that both read, what the first found."""
    if second is NOTHING:
        return first
    files = {**second.files, **first.files}
    incomplete = first.incomplete or second.incomplete
    if len(files) > MOST_FILES:
        incomplete = TOO_MANY_FILES
        files = dict(list(files.items())[:MOST_FILES])
    written = sorted({*first.written, *second.written})[:MOST_FILES]
    return Seen({**second.environment, **first.environment}, files, incomplete, written)


def checked(environment: Any, files: Any, incomplete: Any, written: Any) -> Seen:
    """From what another process says, or the server: node code may have written it."""
    return Seen(
        {str(name): str(value) for name, value in environment.items()},
        {str(path): [int(size), int(time), str(text)] for path, (size, time, text) in files.items()},
        str(incomplete),
        [str(path) for path in written],
    )


def reads_from(given: Any) -> Seen:
    """What the server kept with a result. Another session of the project wrote it."""
    try:
        return NOTHING if not given else checked(given["environment"], given["files"], "", [])
    except (KeyError, TypeError, ValueError, AttributeError):
        return INCOMPLETE


def changed_since(seen: Seen, environ: Mapping[str, str]) -> str:
    """A sentence that names what changed, or "". What is not fully known counts as changed."""
    if seen.incomplete:
        return seen.incomplete
    for name, value in seen.environment.items():
        if name != ALL and short_hash(name, environ) != value:
            return f"The environment variable {name} changed."
    if ALL in seen.environment and hash_of_names(environ) != seen.environment[ALL]:
        return "There are other environment variables."
    for path, (size, time, text) in seen.files.items():
        if path.endswith(FOLDER_END):
            if folder_state(states_in(path)) != [size, time, text]:
                return f"The files in {path} changed."
        elif is_other_file(path, size, time, text):
            return f"The file {path} changed."
    return ""


def is_other_file(path: str, size: int, time: int, text: str) -> bool:
    found = state_of(path)
    if found == (size, time):
        # A file that the run itself changed after it had read it has no hash, but then its time is another.
        return False
    if found is None or found[0] != size or not text:
        return True
    return file_hash(path, *found) != text
