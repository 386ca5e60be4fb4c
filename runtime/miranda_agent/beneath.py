"""
Folders that node code may write, looked at from outside its sandbox. The agent reads and writes no file in them. To
count and to remove, it walks by descriptors and follows no link: a path could lead anywhere by the time it is opened.
"""

from __future__ import annotations

import os
import stat

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
DEEPEST = 200
LEAST = 4_096
NAME_TAKES = 64
#: Node code may make any number of names, and each file that is remembered takes our memory.
MOST_LINKED = 300_000
COPIES = "s3"
#: Where the worker writes results, beneath its folder: runtime/miranda/results/session_results.py.
WRITTEN = (".miranda", "results")
JOURNAL = "journal"
UNSTORED = "unstored"


def folder_size(folder: str, most: int) -> int:
    """The size of everything in a folder, counted no further than to `most`."""
    try:
        top = os.open(folder, FOLDER_FLAGS)
    except OSError:
        return 0
    try:
        return add_size(top, 0, most, 0, set())
    finally:
        os.close(top)


def add_size(fd: int, depth: int, most: int, total: int, linked: set[tuple[int, int]]) -> int:
    """
    One descriptor for each level: more would run out where a folder has many others in it. A file with several names
    takes its room once: the packages of environments are links to one copy.
    """
    inner: list[str] = []
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                try:
                    found = os.stat(entry.name, dir_fd=fd, follow_symlinks=False)
                except OSError:
                    continue
                if found.st_nlink > 1 and stat.S_ISREG(found.st_mode):
                    file = (found.st_dev, found.st_ino)
                    if file in linked:
                        # The name itself takes some.
                        total += NAME_TAKES
                        continue
                    if len(linked) < MOST_LINKED:
                        linked.add(file)
                # An empty file takes room, too.
                total += max(found.st_blocks * 512, LEAST)
                if total > most:
                    return total
                if stat.S_ISDIR(found.st_mode):
                    inner.append(entry.name)
    except OSError:
        return total
    if inner and depth >= DEEPEST:
        # Nobody needs this but to hide something from us.
        return most + 1
    for name in inner:
        try:
            child = os.open(name, FOLDER_FLAGS, dir_fd=fd)
        except OSError:
            continue
        try:
            total = add_size(child, depth + 1, most, total, linked)
        finally:
            os.close(child)
        if total > most:
            break
    return total


def remove_copies(folder: str) -> None:
    """
    What a session fetched from buckets, once its node code has ended for good: the files of ended sessions are kept for
    weeks, and a copy of a bucket would be kept with each of them. What could not be stored stays.
    """
    try:
        work = os.open(folder, FOLDER_FLAGS)
    except OSError:
        return
    try:
        copies = os.open(COPIES, FOLDER_FLAGS, dir_fd=work)
    except OSError:
        return
    finally:
        os.close(work)
    try:
        for name in os.listdir(copies):
            remove_copy(copies, name)
    finally:
        os.close(copies)


def remove_copy(copies: int, name: str) -> None:
    try:
        copy = os.open(name, FOLDER_FLAGS, dir_fd=copies)
    except OSError:
        return
    try:
        # Node code may have a folder of that name for itself.
        journal = os.stat(JOURNAL, dir_fd=copy, follow_symlinks=False)
        if not stat.S_ISREG(journal.st_mode) or UNSTORED in os.listdir(copy):
            return
    except OSError:
        return
    finally:
        os.close(copy)
    import shutil

    shutil.rmtree(name, ignore_errors=True, dir_fd=copies)
