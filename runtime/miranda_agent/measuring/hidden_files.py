"""Room on the disk that no folder shows: of files without a name, and what a session writes however it hides it."""

from __future__ import annotations

import os

from ..processes import MOST_FILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..processes import Process

DELETED = " (deleted)"


def deleted_files(processes: list[Process], device: int) -> int:
    """The blocks of files of a disk that have no name any more and are still open, or only mapped into memory."""
    sizes: dict[tuple[int, int], int] = {}
    for process in processes:
        for found in (*open_files(process.pid), *mapped_files(process.pid)):
            if found.st_dev == device:
                sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def open_files(pid: int) -> list[os.stat_result]:
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return []
    return deleted_at([f"/proc/{pid}/fd/{name}" for name in names[:MOST_FILES]])


def mapped_files(pid: int) -> list[os.stat_result]:
    """A mapping keeps a file alive that nobody has open. Each file is looked at once, however often it is mapped."""
    places: dict[str, str] = {}
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.endswith(f"{DELETED}\n"):
                    place, _, _, device, inode, _ = line.split(None, 5)
                    places.setdefault(f"{device} {inode}", place)
    except (OSError, ValueError):
        pass
    return deleted_at([f"/proc/{pid}/map_files/{short(place)}" for place in places.values()])


def short(place: str) -> str:
    """As the folder of mappings names it: without the zeros in front."""
    return "-".join(part.lstrip("0") or "0" for part in place.split("-"))


def deleted_at(links: list[str]) -> list[os.stat_result]:
    found: list[os.stat_result] = []
    for link in links:
        try:
            if os.readlink(link).endswith(DELETED):
                found.append(os.stat(link))
        except OSError:
            continue
    return found


def written_bytes(process: Process) -> int:
    """What it has written to disks since it began, by whatever way, as the kernel counts it."""
    try:
        with open(f"/proc/{process.pid}/io", "rb") as file:
            for line in file:
                if line.startswith(b"write_bytes:"):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


class LowDisk:
    """
    A disk that fills up must keep the room that the database needs. From then on a session may write little more: a
    file can be hidden from every count, and what was written cannot. Sessions that do not write are left alone.
    """

    def __init__(self, folder: str, reserve: int, may_write: int) -> None:
        self.folder = folder
        self.reserve = reserve
        self.may_write = may_write
        self.known: dict[tuple[int, int], int] = {}
        self.written = 0

    def is_used_up(self, processes: list[Process]) -> bool:
        now = {process.key: written_bytes(process) for process in processes}
        used = os.statvfs(self.folder)
        if self.reserve <= 0 or used.f_bavail * used.f_frsize >= self.reserve:
            self.written = 0
        else:
            self.written += sum(max(0, count - self.known.get(key, 0)) for key, count in now.items())
        self.known = now
        return self.written > self.may_write
