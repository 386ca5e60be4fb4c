"""What a session uses, measured from outside it, and what happens when it uses more than it may."""

from __future__ import annotations

import os
import threading
import time

from ..beneath import WRITTEN, folder_size
from ..processes import Meter
from .hidden_files import LowDisk, deleted_files
from .traffic import Traffic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from resource import struct_rusage

    from ..children import Children
    from ..outbox import Outbox

SAMPLE_EVERY = 2.0
#: In seconds. Less idle time than this before a run counts as the run's.
SHORTEST_IDLE = 0.05
#: Counting the files of a large project takes a while: it gets at most this share of the time.
COUNTING_SHARE = 0.05
#: In bytes: what a session may write while the disk is low. A run that ends meanwhile needs some.
WRITTEN_WHEN_LOW = 32 << 20


class Metering:
    def __init__(self, settings: dict[str, str], outbox: Outbox, children: Children) -> None:
        self.settings = settings
        self.outbox = outbox
        self.children = children
        self.meter = Meter(children.is_own)
        self.traffic = Traffic("contained" in settings)
        self.lock = threading.Lock()
        self.sample_number = 0
        self.sampled_at = self.started_at = time.monotonic()
        self.late_cpu = 0.0
        self.metered = 0.0
        self.is_over = False
        #: The run that the next sample belongs to; 0 for none.
        self.run = 0
        self.is_call = False
        self.began_at = self.started_at

    def sample(self, is_quick: bool = False) -> None:
        with self.lock:
            if self.is_over:
                # Events that are still to be sent cost nothing, however long the server is away.
                return
            now = time.monotonic()
            seconds = now - self.sampled_at
            self.sampled_at = now
            cpu = self.meter.sample(is_quick) + self.late_cpu
            self.late_cpu = 0.0
            self.sample_number += 1
            event = {"kind": "usage", "sample": self.sample_number, "seconds": round(seconds, 3)}
            event |= {"cpu_seconds": round(cpu, 3), "ram_gb": round(self.meter.memory / 1e9, 6)}
            self.traffic.sample(self.meter.found)
            event |= {"received_bytes": self.traffic.received, "sent_bytes": self.traffic.sent, "run": self.run}
            event["clock"] = round(now, 3)
            self.outbox.add(event)

    def begin_run(self, run: int, is_call: bool) -> None:
        """What was used before belongs to nobody's run. Two calls that follow each other at once leave none."""
        if time.monotonic() - self.sampled_at > SHORTEST_IDLE:
            self.measure(is_call)
        self.run = run
        self.is_call = is_call
        self.began_at = time.monotonic()

    def end_run(self) -> None:
        # A call this short has hardly started a process. If it has, the next sample counts it.
        self.measure(self.is_call and time.monotonic() - self.began_at < SAMPLE_EVERY)
        self.run = 0

    def measure(self, is_quick: bool = False) -> bool:
        """Also at the beginning and end of a run: what it used is known exactly only then."""
        try:
            self.sample(is_quick)
        except Exception:
            # A look that failed is made up for by the next one; a thread that ended would measure nothing any more.
            import traceback

            traceback.print_exc()
            return False
        return True

    def finish(self) -> None:
        self.sample()
        self.is_over = True

    def count_ended(self, pid: int, used: struct_rusage) -> None:
        """What it used since the last sample is known exactly only now."""
        with self.lock:
            key = next((key for key in self.meter.known if key[0] == pid), None)
            before = self.meter.known.get(key, 0.0) if key else 0.0
            self.late_cpu += max(0.0, used.ru_utime + used.ru_stime - before)

    def count_sandbox(self) -> None:
        """
        A sandbox may end before it has reaped the one inside, who then is ours: what the worker used in all is known
        when nobody is left.
        """
        used = 0.0
        while ended := self.children.reap(waits=False):
            _, _, usage, is_own = ended
            if not is_own:
                used += usage.ru_utime + usage.ru_stime
        with self.lock:
            self.late_cpu = max(self.late_cpu, used - (self.meter.cpu - self.metered))
            self.metered = self.meter.cpu

    def watch_forever(self, end: Callable[..., None]) -> None:
        settings = self.settings
        most_processes, most_ram = int(settings["processes"]), float(settings["ram_bytes"])
        most_seconds = float(settings["max_seconds"])
        threading.Thread(target=self.watch_disk, args=(end,), daemon=True).start()
        while True:
            time.sleep(SAMPLE_EVERY)
            if not self.measure():
                continue
            if 0 < most_processes < self.meter.processes:
                end("ERROR", f"The session was ended: it had more than {most_processes} processes.")
            elif 0 < most_ram < self.meter.memory and most_ram < (used := self.meter.exact_memory()):
                words = f"The session was ended: it used more than its {most_ram / 1e9:.3g} GB of memory."
                end("ERROR", words, memory=(used, most_ram))
            elif 0 < most_seconds < time.monotonic() - self.started_at:
                end("EXITED", f"The session was ended: it ran for its {most_seconds / 60:.0f} minutes.")

    def watch_disk(self, end: Callable[[str, str], None]) -> None:
        """
        Two limits: one for the session's own folder, one for what its project keeps. A project that has too much
        already may run on, or nobody could remove anything; only more than it had is too much.
        """
        settings = self.settings
        most, most_kept = int(settings["disk_bytes"]), int(settings.get("kept_bytes") or 0)
        kept = [folder for folder in settings.get("kept_folders", "").split("\x1f") if folder]
        allowed: int | None = None
        device = os.stat(settings["folder"]).st_dev
        low = LowDisk(settings["folder"], int(settings.get("reserve_bytes") or 0), WRITTEN_WHEN_LOW)
        while most > 0 or most_kept > 0 or low.reserve > 0:
            began = time.monotonic()
            processes = self.meter.all_others()
            if low.is_used_up(processes):
                end("ERROR", "The session was ended: the server's disk is almost full, and it went on writing files.")
            hidden = deleted_files(processes, device)
            if most > 0 and own_size(settings, most) + hidden > most:
                end("ERROR", f"The session was ended: it used more than its {most / 1e9:.3g} GB of disk.")
            if most_kept > 0:
                limit = 1 << 62 if allowed is None else allowed
                size = sum(folder_size(folder, limit) for folder in kept)
                allowed = max(most_kept, size) if allowed is None else allowed
                if size > allowed:
                    words = f"The session was ended: its project keeps more than {most_kept / 1e9:.3g} GB of files."
                    end("ERROR", words)
            taken = time.monotonic() - began
            time.sleep(max(2 * SAMPLE_EVERY, taken / COUNTING_SHARE))


def own_size(settings: dict[str, str], most: int) -> int:
    """
    The session's own folder and the results that were loaded for it. Results on their way to the server do not count,
    up to the size of one: keeping something must not end a session.
    """
    folder, loaded = settings["folder"], settings.get("results", "")
    written = min(folder_size(os.path.join(folder, *WRITTEN), most), int(settings.get("result_bytes") or 0))
    beside = folder_size(loaded, most) if loaded and not loaded.startswith(f"{folder}/") else 0
    return folder_size(folder, most + written) - written + beside
