"""
The processes that the agent itself started. A process number alone names nothing for long: when its process is gone,
the kernel gives the number to another one, which may be node code's. So each is held by a descriptor (pidfd) and known
by its number and start time together, and the only place that takes ended ones away is here.
"""

from __future__ import annotations

import os
import signal
import threading

from .processes import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from resource import struct_rusage

    from .processes import Process

    #: The number of one that has ended, its exit status, what it used, and whether it was ours and not node code's.
    Ended = tuple[int, int, struct_rusage, bool]


class Child:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        found = read(pid)
        self.start = found.start if found is not None else 0
        try:
            self.fd = os.pidfd_open(pid)
        except OSError:
            # An old kernel, or a container that forbids it: then the number counts until it is reaped.
            self.fd = -1
        #: Its number may be another process's from then on. Changes only while `Children.lock` is held.
        self.has_ended = False


class Children:
    def __init__(self) -> None:
        #: Held while one is started or taken away: a number that was just given must not be another's already.
        self.lock = threading.Lock()
        self.living: dict[int, Child] = {}
        #: Ours and not node code's: nobody is charged for them. By number and start time.
        self.own: set[tuple[int, int]] = set()

    def start(self, spawn: Callable[[], int], is_own: bool = False) -> Child:
        with self.lock:
            child = Child(spawn())
            self.living[child.pid] = child
            if is_own:
                self.own.add((child.pid, child.start))
        return child

    def is_own(self, process: Process) -> bool:
        return process.key in self.own

    def reap(self, waits: bool = True) -> Ended | None:
        """Takes away one that has ended, also an orphan that the agent adopted. None when there is none to wait for."""
        while True:
            try:
                if waits:
                    # Left where it is: its number must not be free before we hold the lock.
                    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
                with self.lock:
                    pid, status, used = os.wait4(-1, os.WNOHANG)
                    if pid != 0:
                        return pid, status, used, self.take_away(pid)
            except ChildProcessError:
                return None
            if not waits:
                return None

    def take_away(self, pid: int) -> bool:
        """Whether it was ours. The lock is held."""
        child = self.living.pop(pid, None)
        if child is None:
            return False
        child.has_ended = True
        if child.fd >= 0:
            os.close(child.fd)
        return (pid, child.start) in self.own

    def kill(self, child: Child, whole_group: bool = False) -> None:
        with self.lock:
            # Until it is taken away its number, and that of its group, belong to it.
            if child.has_ended:
                return
            try:
                if whole_group:
                    os.killpg(child.pid, signal.SIGKILL)
                elif child.fd >= 0:
                    signal.pidfd_send_signal(child.fd, signal.SIGKILL)
                else:
                    os.kill(child.pid, signal.SIGKILL)
            except OSError:
                pass

    def forget_own(self) -> None:
        """When all of them have ended, before others are started."""
        with self.lock:
            self.own.clear()
