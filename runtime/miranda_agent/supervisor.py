"""The life of the worker: its end when somebody asks for it, its restart, and why it died when nobody asked."""

from __future__ import annotations

import os
import threading

from .beneath import remove_copies
from .crash_notes import crashed_at
from .processes import end_of, kill_all, memory_kills, memory_limit, memory_peak, signal_name, words_for
from .share import Share
from .tracking.door import TrackingDoor
from .worker_process import Worker, start_worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .measuring.metering import Metering
    from .message_types import Death, Place
    from .outbox import Outbox
    from .relay import Relay
    from .sandbox import Sandbox
    from .state_reports import StateReports

    #: The state to end in, and why.
    Ending = tuple[str, str | None]
    #: What was used and what may be used, in bytes.
    Memory = tuple[float, float]

MOST_NODES = 64


class Supervisor:
    #: The present worker, and the relay of what it sends. Set by `adopt`.
    worker: Worker
    relay: Relay
    tracking: TrackingDoor

    def __init__(
        self,
        settings: dict[str, str],
        sandbox: Sandbox,
        outbox: Outbox,
        states: StateReports,
        metering: Metering,
        new_relay: Callable[[Worker], Relay],
    ) -> None:
        self.settings = settings
        self.sandbox = sandbox
        self.outbox = outbox
        self.states = states
        self.metering = metering
        self.new_relay = new_relay
        self.grace = float(settings["grace"])
        #: How the session ends when the present worker does: None as long as nobody wants it to end.
        self.ending: Ending | None = None
        #: Set when the session is ended for its memory.
        self.memory: Memory | None = None
        #: Held while everything below is being ended: a worker that is started meanwhile would be ended with it.
        self.killing = threading.RLock()
        self.share = Share(float(settings.get("cpus", 0)), self.killing)

    def adopt(self, worker: Worker) -> None:
        self.worker = worker
        self.relay = relay = self.new_relay(worker)
        worker.read(relay.on_frame, relay.on_text, relay.on_violation)
        self.tracking = TrackingDoor(self.settings, worker)

    # Ending it

    def restart(self) -> None:
        with self.killing:
            self.ending = ("RESTARTING", None)
            self.kill_all(self.grace)

    def end(self, state: str, reason: str | None, grace: float = 0.0, memory: Memory | None = None) -> None:
        with self.killing:
            if self.ending is None or self.ending[0] == "RESTARTING":
                self.ending = (state, reason)
                self.memory = memory
            self.kill_all(grace)

    def end_soon(self, state: str, reason: str) -> None:
        """For the threads that read from the worker: its end waits for them, so they must not wait for its end."""
        threading.Thread(target=self.end, args=(state, reason), daemon=True).start()

    def terminate(self) -> None:
        self.end("EXITED", "The session was ended from outside.", self.grace)

    def kill_all(self, grace: float) -> None:
        # A process that is halted to keep it to its share could not tidy up.
        self.share.resume()
        kill_all(grace, self.sandbox.is_part)

    # Until its end

    def run(self) -> None:
        """Until the session has ended. Starts another worker after a restart."""
        if 0 < self.share.cpus < (os.cpu_count() or 1):
            threading.Thread(target=self.share.keep_forever, daemon=True).start()
        while True:
            status = self.wait_for_worker()
            with self.killing:
                has_died = self.ending is None
                ending = self.ending or ("ERROR", self.reason_for(status))
                kill_all(0)
            nodes, report = self.worker.last_notes()
            if self.sandbox:
                self.metering.count_sandbox()
            self.tracking.close()
            self.worker.close()
            self.relay.close()
            if ending[0] != "RESTARTING":
                break
            with self.killing:
                if self.ending != ending:
                    # Stopped while it was being restarted.
                    ending = self.ending or ending
                    break
                self.ending = None
                self.sandbox.children.forget_own()
                self.adopt(start_worker(self.settings, self.sandbox))
        self.metering.finish()
        death = self.describe_death(status, nodes, report) if has_died or self.memory else None
        self.states.publish(*ending, death)
        self.outbox.close()

    def wait_for_worker(self) -> int:
        """Its exit status. Reaps orphans too: the agent adopts them."""
        while True:
            ended = self.sandbox.children.reap()
            if ended is None:
                return 0
            pid, status, used, _ = ended
            # Nobody else takes it away, so until then the number is its own.
            if pid == self.worker.pid:
                self.metering.count_ended(pid, used)
                return status

    def reason_for(self, status: int) -> str:
        """Why a worker ended that nobody had asked to end."""
        known_kills = self.worker.known_kills
        if known_kills is not None and os.WIFSIGNALED(status) and memory_kills() > known_kills:
            limit = memory_limit()
            self.memory = (max(limit, memory_peak()), limit)
            return f"The session was ended: it used more than its {limit / 1e9:.3g} GB of memory."
        return words_for(status, bool(self.sandbox))

    def describe_death(self, status: int, nodes: list[int], report: str) -> Death:
        """For the server, which knows the names of nodes."""
        code, number = end_of(status, bool(self.sandbox))
        place, traceback = crashed_at(report, self.settings["runtime"]) if number and not self.memory else (None, "")
        if traceback:
            self.outbox.add_log(3, traceback, place["node"] if place else 0)
        used, limit = (round(amount / 1e9, 4) for amount in self.memory) if self.memory else (None, None)
        running = nodes or sorted(self.relay.running)[:MOST_NODES]
        places: list[Place] = [{"node": node, "line": 0, "function": ""} for node in running]
        return {
            "nodes": [place] if place else places,
            "exit_code": None if number else code,
            "signal": signal_name(number) if number else None,
            "used_gb": used,
            "limit_gb": limit,
            "traceback": self.outbox.masked(traceback),
        }

    def tidy_up(self) -> None:
        remove_copies(self.settings["folder"])
