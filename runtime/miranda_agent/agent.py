"""
The agent: ours, trusted, small. It starts the worker, tells the server everything the worker says, and does what the
server's commands ask. It outlives the server, and never its worker's last word.
"""

from __future__ import annotations

import os
import signal
import time

from .settings import read_settings
from .worker_process import RECORD, TAGS, Worker

SAMPLE_EVERY = 2.0
DISK_EVERY = 4.0
STEPS = ("step-over", "step-in", "step-out")
FORWARDED = ("compile", "continue", "evaluate", "pause", "info", "sample", "break", "clear", *STEPS)
GIT = ("git-pull", "git-soft-pull", "git-push")
WITH_GRAPH = ("run", "plan", "run-setup")


class Agent:
    def __init__(self, settings: dict[str, str]) -> None:
        self.settings = settings
        self.job = settings["job"]
        self.folder = settings["folder"]
        self.is_contained = "contained" in settings
        #: The sandbox's program and arguments, if there is one: then it is our child, and the worker is its.
        self.around = [part for part in settings.get("sandbox", "").split("\x1f") if part]
        # First of all: it starts while we import what we need ourselves.
        self.worker = self.start_worker()
        import json
        import threading

        from . import processes
        from .http import Connection, Unreachable
        from .lines import Lines
        from .outbox import Ended, Outbox
        from .share import Share

        self.json, self.threading, self.processes, self.Lines = json, threading, processes, Lines
        self.Ended, self.Unreachable = Ended, Unreachable
        give_up = float(settings["give_up_after"])
        self.outbox = Outbox(Connection(self.locate, settings["token"], 30), self.job, give_up)
        self.poll = Connection(self.locate, settings["token"], float(settings["heartbeat"]) + 30)
        self.command_number = 0
        self.state_command = 0
        self.sample_number = 0
        self.sampled_at = time.monotonic()
        self.started_at = self.sampled_at
        self.meter = processes.Meter()
        self.metering = threading.Lock()
        #: What the end of the present worker means: None as long as nobody wants it to end.
        self.ending: tuple[str, str] | None = None
        self.assemblers: dict[tuple[str, int], object] = {}
        self.late_cpu = 0.0
        self.metered = 0.0
        self.is_over = False
        #: Held while everything below is being ended: a worker that is started meanwhile would be ended with it.
        self.killing = threading.RLock()
        self.share = Share(float(settings.get("cpus", 0)), self.killing)
        #: Questions of the present worker that people have not answered.
        self.asked: set[int] = set()
        #: Made when the first git command comes: what it imports would make every start slower.
        self.git = None

    def locate(self) -> str:
        try:
            with open(self.settings["address_file"], encoding="utf-8") as file:
                return file.read().strip()
        except OSError:
            return self.settings["url"]

    def start_worker(self) -> Worker:
        settings = self.settings
        extra = {"MIRANDA_JOB": self.job, "MIRANDA_STORAGE": settings["storage"], "PYTHONUNBUFFERED": ""}
        extra["MIRANDA_DISK_BYTES"] = settings["disk_bytes"]
        extra["MIRANDA_PARENT"] = "1" if self.around else str(os.getpid())
        worker = Worker(settings["python"], settings["runtime"], self.folder, extra, self.around)
        if self.is_contained:
            from .processes import memory_kills, prefer_to_kill

            prefer_to_kill(worker.pid)
            self.known_kills = memory_kills()
        return worker

    # From the worker

    def on_text(self, source: str, kind: int, data: bytes) -> None:
        node = self.worker.node if source == "channel" else 0
        if kind == RECORD:
            self.outbox.add_log(data[0], data[1:].decode("utf-8", "replace").replace("\0", "\u2400"), node)
            return
        key = (source, kind)
        lines = self.assemblers.get(key)
        if lines is None:
            lines = self.assemblers[key] = self.Lines()
            self.outbox.lines = [(TAGS[k], held) for (_, k), held in self.assemblers.items()]
        text = lines.feed(data)
        if text is not None:
            self.outbox.add_log(TAGS[kind], text, node)

    def on_event(self, body: bytes) -> None:
        event = self.json.loads(body)
        kind = event["kind"]
        outbox = self.outbox
        if outbox.secrets:
            event = outbox.masked(event)
        if kind == "hello":
            self.tell_state("READY")
        elif kind == "break":
            outbox.add(event, len(body))
            self.tell_state("RESUMEREADY")
        elif kind == "resumed":
            self.tell_state("RUNNING")
        elif kind == "done":
            if event["command"] in ("run", "compile", "run-setup"):
                self.worker.settle(self.finish_lines)
            if event["number"] > 0:
                outbox.add(event, len(body))
            if event["command"] in ("run", "compile", "run-setup"):
                self.tell_state("READY")
        elif kind == "secret":
            # Of what node code may send itself, only the key.
            asked = {"question": event["question"], "key": event["key"]}
            self.threading.Thread(target=self.fetch_secret, args=(asked,), daemon=True).start()
        elif kind == "file":
            self.threading.Thread(target=self.fetch_file, args=(event,), daemon=True).start()
        else:
            if kind == "ask_password" and isinstance(event.get("question"), int):
                self.asked.add(event["question"])
            outbox.add(event, len(body))

    def finish_lines(self) -> None:
        """What was written without a newline when a run ends is a line too."""
        for (source, kind), lines in self.assemblers.items():
            left = lines.finish()
            if left is not None:
                self.outbox.add_log(TAGS[kind], left, self.worker.node if source == "channel" else 0)

    def tell_state(self, state: str, reason: str | None = None) -> None:
        self.outbox.add({"kind": "state", "state": state, "reason": reason, "command": self.state_command})

    def fetch_secret(self, event: dict) -> None:
        self.give_answer(event["question"], self.ask_server("secret", event.get("body") or {"key": event["key"]}))

    def fetch_file(self, event: dict) -> None:
        from .uploads import keep_file

        answer = self.ask_server("file", {"file": str(event["file"])})
        try:
            kept = {"path": keep_file(self.folder, event, answer["content"])} if "content" in answer else answer
        except OSError as error:
            kept = {"error": str(error)}
        self.tell_worker({"command": "answer", "question": event["question"], **kept})

    def ask_server(self, what: str, question: dict) -> dict:
        from .http import Connection

        connection = Connection(self.locate, self.settings["token"], 30)
        body = self.json.dumps(question).encode()
        try:
            return self.json.loads(
                self.outbox.answer(lambda: connection.request("POST", f"/api/runner/{self.job}/{what}", body))
            )
        except (self.Ended, self.Unreachable) as error:
            return {"error": str(error)}
        finally:
            connection.close()

    def give_answer(self, question: int, answer: dict) -> None:
        value = answer.get("value")
        if isinstance(value, str):
            self.hide(value)
        if self.git is None or not self.git.give(question, answer):
            self.tell_worker({"command": "answer", "question": question, **answer})

    def hide(self, *values: str) -> None:
        for value in values:
            self.outbox.hide(value)

    def tell_worker(self, command: dict) -> None:
        self.worker.send(self.json.dumps(command).encode() + b"\n")

    # From the server

    def poll_forever(self) -> None:
        wait = self.settings["heartbeat"]
        path = f"/api/runner/{self.job}/commands"
        try:
            while True:
                ask = f"{path}?after={self.command_number}&wait={wait}"
                answer = self.json.loads(self.outbox.answer(lambda: self.poll.request("GET", ask)))
                for command in answer["commands"]:
                    self.command_number = command["number"]
                    self.obey(command)
        except self.Ended as error:
            self.end("EXITED", str(error))
        except self.Unreachable:
            self.end("ERROR", "The agent found no server for too long and ended the session.")

    def obey(self, command: dict) -> None:
        name = command["command"]
        if name in ("run", "compile", "run-setup", "restart", "stop", *GIT):
            self.state_command = command["number"]
        if name == "stop":
            self.end(command.get("state", "EXITED"), command.get("reason"), float(self.settings["grace"]))
        elif name == "restart":
            self.restart()
        elif name in GIT:
            from .git_command import GitCommands

            self.git = self.git or GitCommands(self)
            self.git.start(command)
        elif name == "answered":
            question = command["question"]
            self.asked.discard(question)
            asked = {"question": question, "body": {"question": question}}
            self.threading.Thread(target=self.fetch_secret, args=(asked,), daemon=True).start()
        elif name in WITH_GRAPH:
            graph = self.outbox.answer(lambda: self.poll.request("GET", f"/api/runner/{self.job}/graph"))
            command["environments"] = self.settings["environments"]
            line = self.json.dumps(command)
            # The graph goes through as it came: it may be megabytes, and the worker reads it anyway.
            self.worker.send(line[:-1].encode() + b', "graph": ' + graph.replace(b"\n", b" ") + b"}\n")
        elif name in FORWARDED:
            self.tell_worker(command)

    def restart(self) -> None:
        with self.killing:
            self.ending = ("RESTARTING", None)
            self.kill_all(float(self.settings["grace"]))

    def kill_all(self, grace: float) -> None:
        # Who waits for their share cannot tidy up.
        self.share.let_go()
        # A sandbox that is asked to end takes everything in it along at once, without any grace.
        self.processes.kill_all(grace, spared=self.worker.pid if self.around else 0)

    def end(self, state: str, reason: str | None, grace: float = 0.0) -> None:
        with self.killing:
            if self.ending is None or self.ending[0] == "RESTARTING":
                self.ending = (state, reason)
            self.kill_all(grace)

    # From the clock

    def sample(self) -> None:
        with self.metering:
            if self.is_over:
                # What the agent still has to tell costs nothing, however long the server is away.
                return
            now = time.monotonic()
            seconds = now - self.sampled_at
            self.sampled_at = now
            cpu = self.meter.sample() + self.late_cpu
            self.late_cpu = 0.0
            self.sample_number += 1
            self.outbox.add(
                {
                    "kind": "usage",
                    "sample": self.sample_number,
                    "seconds": round(seconds, 3),
                    "cpu_seconds": round(cpu, 3),
                    "ram_gb": round(self.meter.memory / 1e9, 6),
                }
            )

    def watch_forever(self) -> None:
        settings = self.settings
        most_processes, most_ram = int(settings["processes"]), float(settings["ram_bytes"])
        most_disk, most_seconds = int(settings["disk_bytes"]), float(settings["max_seconds"])
        disk_at = time.monotonic() + DISK_EVERY
        while True:
            time.sleep(SAMPLE_EVERY)
            self.sample()
            now = time.monotonic()
            if 0 < most_processes < self.meter.processes:
                self.end("ERROR", f"The session was ended: it had more than {most_processes} processes.")
            elif 0 < most_ram < self.meter.memory:
                self.end("ERROR", f"The session was ended: it used more than its {most_ram / 1e9:.3g} GB of memory.")
            elif 0 < most_seconds < now - self.started_at:
                self.end("EXITED", f"The session was ended: it ran for its {most_seconds / 60:.0f} minutes.")
            elif most_disk > 0 and now >= disk_at:
                disk_at = now + DISK_EVERY
                if self.processes.folder_size(self.folder, most_disk) > most_disk:
                    self.end("ERROR", f"The session was ended: it used more than its {most_disk / 1e9:.3g} GB of disk.")

    # The whole

    def serve(self) -> None:
        signal.signal(signal.SIGTERM, lambda *_: self.threading.Thread(target=self.terminated, daemon=True).start())
        self.worker.read(self.on_event, self.on_text)
        posting = self.threading.Thread(target=self.post, daemon=True)
        posting.start()
        self.threading.Thread(target=self.poll_forever, daemon=True).start()
        self.processes.adopt_orphans()
        if self.is_contained:
            self.processes.keep_private()
        self.threading.Thread(target=self.watch_forever, daemon=True).start()
        if 0 < self.share.cpus < (os.cpu_count() or 1):
            self.threading.Thread(target=self.share.keep_forever, daemon=True).start()
        while True:
            status = self.wait_for_worker()
            with self.killing:
                ending = self.ending or ("ERROR", self.why(status))
                self.processes.kill_all(0)
            if self.around:
                self.count_sandbox()
            self.worker.close()
            asked, self.asked = self.asked, set()
            for question in asked:
                self.outbox.add({"kind": "withdraw", "question": question})
            self.finish_lines()
            self.assemblers = {}
            if ending[0] != "RESTARTING":
                break
            with self.killing:
                if self.ending != ending:
                    # Stopped while it was being restarted.
                    ending = self.ending
                    break
                self.ending = None
                self.worker = self.start_worker()
            self.worker.read(self.on_event, self.on_text)
        from .copies import remove_copies

        self.sample()
        self.is_over = True
        self.tell_state(*ending)
        self.outbox.close()
        posting.join()
        remove_copies(self.folder)

    def why(self, status: int) -> str:
        """Why a worker ended that nobody had asked to end."""
        if self.is_contained and os.WIFSIGNALED(status) and self.processes.memory_kills() > self.known_kills:
            return f"The session was ended: it used more than its {self.processes.memory_limit() / 1e9:.3g} GB of memory."
        return self.processes.words_for(status, bool(self.around))

    def terminated(self) -> None:
        self.end("EXITED", "The session was ended from outside.", float(self.settings["grace"]))

    def post(self) -> None:
        try:
            self.outbox.post_forever()
        except self.Ended as error:
            self.end("EXITED", str(error))
            os._exit(0)
        except self.Unreachable:
            self.end("ERROR", "The agent found no server for too long and ended the session.")
            os._exit(1)

    def wait_for_worker(self) -> int:
        """Reaps orphans on the way: they are ours since we adopt them."""
        while True:
            try:
                pid, status, used = os.wait4(-1, 0)
            except ChildProcessError:
                return 0
            if pid == self.worker.pid:
                with self.metering:
                    # What it used since the last sample is known exactly only now.
                    key = next((key for key in self.meter.known if key[0] == pid), None)
                    before = self.meter.known.get(key, 0.0) if key else 0.0
                    self.late_cpu += max(0.0, used.ru_utime + used.ru_stime - before)
                return status


    def count_sandbox(self) -> None:
        """
        A sandbox may end before it has reaped the one inside, who then is ours: what the worker used in all is known when
        nobody is left.
        """
        used = 0.0
        while True:
            try:
                pid, _, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            used += usage.ru_utime + usage.ru_stime
        with self.metering:
            self.late_cpu = max(self.late_cpu, used - (self.meter.cpu - self.metered))
            self.metered = self.meter.cpu


def main(source: str | int) -> None:
    Agent(read_settings(source)).serve()
