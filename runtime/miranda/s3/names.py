"""Which keys of a bucket can be file paths, and which file paths can be keys."""

from __future__ import annotations

import os
import stat

LONGEST_PART = 255
LONGEST_PATH = 3_000
#: Of a whole key, prefix included.
LONGEST_KEY = 1_024
MOST_TOLD = 10


def is_file_name(name: str) -> bool:
    """Whether a name of a bucket is a path that stays below the folder it is put into."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return False
    parts = name.split("/")
    if size > LONGEST_PATH or "\0" in name or any(part in ("", ".", "..") for part in parts):
        return False
    return all(len(part.encode()) <= LONGEST_PART for part in parts)


def why_no_key(key: str) -> str | None:
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    return f"its name has more than {LONGEST_KEY} bytes" if size > LONGEST_KEY else None


def parents_of(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def find_files(folder: str) -> tuple[dict[str, os.stat_result], list[str]]:
    """The files below a folder by their names, and what is neither file nor folder. Links are not followed."""
    found: dict[str, os.stat_result] = {}
    others: list[str] = []
    waiting = [""]
    while waiting:
        start = waiting.pop()
        with os.scandir(os.path.join(folder, start)) as entries:
            for entry in entries:
                name = f"{start}{entry.name}"
                try:
                    info = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if stat.S_ISDIR(info.st_mode):
                    waiting.append(f"{name}/")
                elif stat.S_ISREG(info.st_mode):
                    found[name] = info
                else:
                    others.append(name)
    return found, others


def being_written(folder: str, processes: list[int]) -> set[str]:
    """What these processes have open for writing below a folder: another node may be in the middle of it."""
    start = os.path.realpath(folder) + "/"
    return {name for process in processes for name in written_by(process, start)}


def written_by(process: int, start: str) -> set[str]:
    names: set[str] = set()
    try:
        descriptors = os.listdir(f"/proc/{process}/fd")
    except OSError:
        return names
    for descriptor in descriptors:
        try:
            path = os.readlink(f"/proc/{process}/fd/{descriptor}")
            if not path.startswith(start):
                continue
            with open(f"/proc/{process}/fdinfo/{descriptor}") as lines:
                flags = next(int(line.split()[1], 8) for line in lines if line.startswith("flags:"))
        except (OSError, StopIteration, ValueError):
            continue
        if flags & os.O_ACCMODE != os.O_RDONLY:
            names.add(path[len(start) :])
    return names


def listed(names: list[str]) -> str:
    """A few of them, for a message."""
    shown = ", ".join(repr(name) for name in sorted(names)[:MOST_TOLD])
    more = len(names) - MOST_TOLD
    return f"{shown} and {more} more" if more > 0 else shown
