"""What the process of the worker may use, and that it ends with its agent."""

from __future__ import annotations

import os
import signal

MOST_FILES = 4_096


def set_limits() -> None:
    """
    For good, so that node code cannot raise them again. One file can be as large as the whole quota; the agent watches
    the sum. Open files and threads are bounded because each takes memory that the agent cannot see.
    """
    import resource

    wanted = {
        resource.RLIMIT_FSIZE: int(os.environ.get("MIRANDA_DISK_BYTES") or 0),
        resource.RLIMIT_NOFILE: MOST_FILES,
        resource.RLIMIT_NPROC: 4 * int(os.environ.pop("MIRANDA_PROCESSES", 0)),
    }
    for name, limit in wanted.items():
        _, hard = resource.getrlimit(name)
        if limit > 0 and (hard == resource.RLIM_INFINITY or limit < hard):
            resource.setrlimit(name, (limit, limit))


def die_with_parent() -> None:
    # In a container the agent is process 1, so a parent of 1 does not mean that it has ended.
    die_with(int(os.environ.pop("MIRANDA_PARENT", os.getppid())))


def die_with(parent: int) -> None:
    """A process stuck in C code does not see its pipe close; the kernel sends it a signal anyway."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
    except Exception:
        pass
    if os.getppid() != parent:
        os._exit(70)
