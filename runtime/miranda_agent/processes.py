"""The worker's process and everything it started."""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
MOST_FILES = 4_096


class Process:
    __slots__ = ("cpu", "memory", "name", "parent", "pid", "start", "state")

    def __init__(self, pid: int, name: bytes, fields: list[bytes]) -> None:
        self.pid = pid
        self.name = name
        self.state = fields[0]
        self.parent = int(fields[1])
        self.cpu = (int(fields[11]) + int(fields[12])) / TICKS
        self.start = int(fields[19])
        self.memory = int(fields[21]) * PAGE

    @property
    def key(self) -> tuple[int, int]:
        """Of this process for ever. Its number alone may be another's by now."""
        return self.pid, self.start


def read(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            stat = file.read()
    except OSError:
        return None
    # The name is in parentheses and may itself hold spaces and parentheses.
    end = stat.rindex(b")")
    process = Process(pid, stat[stat.index(b"(") + 1 : end], stat[end + 2 :].split())
    if process.state == b"Z":
        look_inside(process)
    return process


def look_inside(process: Process) -> None:
    """A process whose first thread has ended looks dead and small while its others work on."""
    try:
        threads = [name for name in os.listdir(f"/proc/{process.pid}/task") if name != str(process.pid)]
        if threads:
            with open(f"/proc/{process.pid}/task/{threads[0]}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            process.state, process.memory = fields[0], int(fields[21]) * PAGE
    except (OSError, IndexError):
        pass


def descendants(root: int) -> list[Process]:
    children: dict[int, list[Process]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            process = read(int(name))
            if process is not None:
                children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [root]
    while waiting:
        for process in children.get(waiting.pop(), ()):
            found.append(process)
            waiting.append(process.pid)
    return found


def adopt_orphans() -> None:
    """Grandchildren whose parent ends become ours instead of escaping to init."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    except Exception:
        pass


def keep_private() -> None:
    """
    In a container the worker has our account: without this it could read the job's token from our memory. And when the
    container's memory is used up, the kernel must end the worker and not the agent, which has to report it.
    """
    try:
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    except Exception:
        pass


def prefer_to_kill(pid: int) -> None:
    try:
        with open(f"/proc/{pid}/oom_score_adj", "w") as file:
            file.write("500")
    except OSError:
        pass


def read_number(*paths: str, key: str = "") -> int:
    """The number in the first of these files that exists: the kernel has two layouts of them."""
    for path in paths:
        try:
            with open(path) as file:
                lines = file.read().split("\n")
        except OSError:
            continue
        for line in lines:
            name, _, value = line.rpartition(" ")
            if name == key and value.isdigit():
                return int(value)
    return 0


def memory_kills() -> int:
    """How often the kernel has ended something here for want of memory."""
    return read_number("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control", key="oom_kill")


def memory_peak() -> int:
    return read_number("/sys/fs/cgroup/memory.peak", "/sys/fs/cgroup/memory/memory.max_usage_in_bytes")


def memory_limit() -> int:
    return read_number("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def send(process: Process, number: int) -> None:
    """To this process and no other: since it was read it may have ended, and its number may be another's."""
    try:
        fd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    except OSError:
        # A kernel without pidfds, or a container that forbids them.
        fd = -1
    try:
        found = read(process.pid)
        if found is None or found.start != process.start:
            return
        if fd >= 0:
            signal.pidfd_send_signal(fd, number)
        else:
            os.kill(process.pid, number)
    except OSError:
        pass
    finally:
        if fd >= 0:
            os.close(fd)


def kill_all(grace: float, spared: Callable[[Process], bool] = lambda process: False) -> None:
    """
    Ends everything below this process: asked first, but for those who are spared that, then stopped and killed until
    nothing is left. Stopped, because what forks faster than it is killed would never end.
    """
    me = os.getpid()
    if grace > 0:
        for process in descendants(me):
            if not spared(process):
                send(process, signal.SIGTERM)
        until = time.monotonic() + grace
        while time.monotonic() < until and alive(descendants(me)):
            time.sleep(0.02)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        # Rounds of stopping until no new ones appear.
        known: set[tuple[int, int]] = set()
        while True:
            running = [process for process in alive(descendants(me)) if process.key not in known]
            if not running:
                break
            for process in running:
                send(process, signal.SIGSTOP)
                known.add(process.key)
        left = alive(descendants(me))
        if not left:
            return
        for process in left:
            send(process, signal.SIGKILL)
        time.sleep(0.01)


def alive(processes: list[Process]) -> list[Process]:
    return [process for process in processes if process.state != b"Z"]


def end_of(status: int, is_sandboxed: bool) -> tuple[int, int]:
    """Its exit code, and the signal that ended it, or 0."""
    code = os.waitstatus_to_exitcode(status)
    # A sandbox ends with 128 and the number of the signal that ended the one inside.
    return code, -code if code < 0 else code - 128 if is_sandboxed and code > 128 else 0


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def words_for(status: int, is_sandboxed: bool = False) -> str:
    """Why a worker ended that nobody had asked to end."""
    code, number = end_of(status, is_sandboxed)
    if number > 0:
        if number == signal.SIGKILL:
            return "The worker was killed, perhaps because the machine ran out of memory."
        known: dict[int, str] = {
            signal.SIGSEGV: "The worker crashed: it used memory it may not use (segmentation fault).",
            signal.SIGABRT: "The worker crashed: it aborted itself.",
            signal.SIGFPE: "The worker crashed: an arithmetic fault.",
            signal.SIGILL: "The worker crashed: an illegal instruction.",
            signal.SIGBUS: "The worker crashed: a bus error.",
            signal.SIGTERM: "The worker was asked to end by a process outside Miranda.",
        }
        return known.get(number) or f"The worker was ended by signal {number}."
    return f"The worker ended by itself with exit code {code}: node code must have called os._exit."


class Meter:
    """What the worker's tree has used, measured from outside it."""

    def __init__(self, is_own: Callable[[Process], bool] = lambda process: False) -> None:
        #: Whether a process below the agent is ours, which nobody is charged for.
        self.is_own = is_own
        self.known: dict[tuple[int, int], float] = {}
        self.cpu = 0.0
        self.memory = self.unmapped = 0
        self.processes = 0
        self.found: list[Process] = []

    def sample(self, is_quick: bool = False) -> float:
        """
        The CPU seconds since the last sample. A quick one looks at the processes of the last sample only: reading all
        of /proc takes longer than a short call. The next one finds the others, and what they have used.
        """
        used = 0.0
        known: dict[tuple[int, int], float] = {}
        memory = processes = 0
        found = self.known_again() if is_quick else self.all_others()
        for process in found:
            key = process.key
            used += max(0.0, process.cpu - self.known.get(key, 0.0))
            known[key] = process.cpu
            memory += process.memory
            processes += 1
        if not is_quick:
            self.unmapped = unmapped_memory(found)
        self.memory, self.processes = memory + self.unmapped, processes
        self.found = found
        self.known = known
        self.cpu += used
        return used

    def all_others(self) -> list[Process]:
        return [process for process in descendants(os.getpid()) if not self.is_own(process)]

    def known_again(self) -> list[Process]:
        again = (read(process.pid) for process in self.found)
        return [process for process in again if process is not None and process.key in self.known]

    def exact_memory(self) -> int:
        """What forked processes share is counted once here. It takes the kernel longer, so only where it matters."""
        return self.unmapped + sum(own_share(process) for process in self.found)


def own_share(process: Process) -> int:
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return process.memory


def unmapped_memory(processes: list[Process]) -> int:
    """Memory that counts for no process: files in the sandbox's /tmp and /dev/shm, and those without a name."""
    total = mapped = 0
    seen: set[tuple[int, int]] = set()
    ours = os.stat("/").st_dev
    for process in processes:
        for place in ("tmp", "dev/shm"):
            try:
                # The kernel's own link to the root of that process: node code can change neither it nor these folders.
                path = f"/proc/{process.pid}/root/{place}"
                device = os.stat(path).st_dev
                if device != ours and (device, 0) not in seen and is_in_sandbox(process.pid):
                    seen.add((device, 0))
                    used = os.statvfs(path)
                    total += (used.f_blocks - used.f_bfree) * used.f_frsize
            except OSError:
                continue
        total += nameless_files(process.pid, seen)
        mapped += mapped_files(process.pid)
    return max(0, total - mapped)


def mapped_files(pid: int) -> int:
    """How much of the memory of a process is that of such files."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            status = file.read()
    except OSError:
        return 0
    at = status.find(b"RssShmem:")
    return int(status[at:].split(None, 2)[1]) * 1024 if at >= 0 else 0


def is_in_sandbox(pid: int) -> bool:
    return os.readlink(f"/proc/{pid}/ns/mnt") != os.readlink("/proc/self/ns/mnt")


def nameless_files(pid: int, seen: set[tuple[int, int]]) -> int:
    total = 0
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return 0
    for name in names[:MOST_FILES]:
        path = f"/proc/{pid}/fd/{name}"
        try:
            if os.readlink(path).startswith("/memfd:"):
                found = os.stat(path)
                if (found.st_dev, found.st_ino) not in seen:
                    seen.add((found.st_dev, found.st_ino))
                    total += found.st_blocks * 512
        except OSError:
            continue
    return total
