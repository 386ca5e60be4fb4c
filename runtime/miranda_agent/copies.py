"""What a session fetched from buckets, once it has ended."""

from __future__ import annotations

import os
import shutil

FOLDER = "s3"
JOURNAL = "journal"
UNSTORED = "unstored"


def remove_copies(folder: str) -> None:
    """
    The files of ended sessions are kept for weeks, and a copy of a bucket would be kept with each of them. What could not
    be stored stays. Only when node code has ended for good: it could put a link to somebody else's files in its place.
    """
    copies = os.path.join(folder, FOLDER)
    if os.path.islink(copies) or not os.path.isdir(copies):
        return
    for name in os.listdir(copies):
        copy = os.path.join(copies, name)
        # Node code may have a folder of that name for itself.
        if os.path.isfile(os.path.join(copy, JOURNAL)) and not os.path.lexists(os.path.join(copy, UNSTORED)):
            shutil.rmtree(copy, ignore_errors=True)
