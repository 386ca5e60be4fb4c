"""
The agent: ours, trusted, small. It starts the worker, hands on what the worker says once it was checked, and does what the
server's commands ask. It outlives the server, and never its worker's last word.
"""

from __future__ import annotations

import os
import signal

from .sandbox import Sandbox
from .settings import read_settings
from .worker_process import Worker, close_for_children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STEPS = ("step-over", "step-in", "step-out")
DEBUGGING = ("continue", "evaluate", "cancel-evaluate", "unfold", "frame", "exceptions", "break", "clear", *STEPS)
FORWARDED = ("compile", "pause", "interrupt", "info", "sample", *DEBUGGING)
GIT = ("git-pull", "git-soft-pull", "git-push")
WITH_GRAPH = ("run", "plan", "run-setup")
#: With these node code begins to run: its network has to be there.
RUNS_CODE = ("run", "run-setup", "compile")


class Agent:
    def __init__(self, settings: dict[str, str]) -> None:
        self.settings = settings
        self.job = settings["job"]
        self.folder = settings["folder"]
        self.is_contained = "contained" in settings
        self.sandbox = Sandbox(settings, self.warn)
        # First of all: it starts while we import what we need ourselves.
        self.worker = self.start_worker()
        import json
        import threading

        from . import processes
        from .http import Connection, Unreachable
        from .metering import Metering
        from .outbox import Ended, Outbox
        from .questions import Questions
        from .relay import Relay
        from .share import Share

        self.json, self.threading, self.processes, self.new_relay = json, threading, processes, Relay
        self.Ended, self.Unreachable = Ended, Unreachable
        give_up = float(settings["give_up_after"])
        self.outbox = Outbox(Connection(self.locate, settings["token"], 30), self.job, give_up)
        self.poll = Connection(self.locate, settings["token"], float(settings["heartbeat"]) + 30)
        self.metering = Metering(settings, self.outbox, self.sandbox.own)
        self.questions = Questions(self.ask_server, self.give_answer)
        self.relay = Relay(self)
        self.command_number = 0
        self.state_command = 0
        #: What the end of the present worker means: None as long as nobody wants it to end.
        self.ending: tuple[str, str | None] | None = None
        #: What it used and what it may use, in bytes, when it is ended for that.
        self.memory: tuple[float, float] | None = None
        #: Held while everything below is being ended: a worker that is started meanwhile would be ended with it.
        self.killing = threading.RLock()
        self.share = Share(float(settings.get("cpus", 0)), self.killing)
        #: Made when the first git command comes: what it imports would make every start slower.
        self.git = None

    def warn(self, words: str) -> None:
        self.outbox.add_log(2, words)

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
        extra["MIRANDA_PARALLEL"] = settings.get("parallel", "")
        if self.sandbox:
            # Elsewhere other programs run under the same account, and would count.
            extra["MIRANDA_PROCESSES"] = settings["processes"]
        if not self.sandbox:
            # In a sandbox its parent is the sandbox's own program, which ends with us.
            extra["MIRANDA_PARENT"] = str(os.getpid())
        worker = Worker(self.sandbox, settings["python"], settings["runtime"], self.folder, extra)
        if self.is_contained:
            from .processes import memory_kills, prefer_to_kill

            prefer_to_kill(worker.pid)
            self.known_kills = memory_kills()
        return worker

    def tell_state(self, state: str, reason: str | None = None, death: dict[str, Any] | None = None) -> None:
        event = {"kind": "state", "state": state, "reason": reason, "command": self.state_command}
        self.outbox.add(event if death is None else {**event, "death": death})

    # Questions of the worker

    def ask_server(self, what: str, question: dict[str, Any]) -> dict[str, Any]:
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

    def fetch_answer(self, question: int, is_hidden: bool) -> None:
        self.give_answer(question, self.ask_server("secret", {"question": question}), is_hidden)

    def give_answer(self, question: int, answer: dict[str, Any], is_hidden: bool = True) -> None:
        value = answer.get("value")
        if isinstance(value, str) and is_hidden:
            self.hide(value)
        if self.git is None or not self.git.give(question, answer):
            told = {"command": "answer", "question": question, **answer}
            self.worker.send(self.json.dumps(told).encode() + b"\n", patiently=True)

    def hide(self, *values: str) -> None:
        for value in values:
            self.outbox.hide(value)

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

    def obey(self, command: dict[str, Any]) -> None:
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
        elif name == "interrupt" and self.git is not None and self.git.interrupt():
            self.outbox.add({"kind": "done", "command": name, "number": command["number"]})
        elif name == "answered":
            question = command["question"]
            is_hidden = self.relay.asked.pop(question, True)
            # Not among the worker's own questions: those may be full, and the next command may be to stop.
            self.threading.Thread(target=self.fetch_answer, args=(question, is_hidden), daemon=True).start()
        elif name in WITH_GRAPH:
            graph = self.outbox.answer(lambda: self.poll.request("GET", f"/api/runner/{self.job}/graph"))
            command["environments"] = self.settings["environments"]
            command["uv"] = self.settings.get("uv")
            line = self.json.dumps(command)
            # The graph goes through as it came: it may be megabytes, and the worker reads it anyway.
            self.command_worker(command, line[:-1].encode() + b', "graph": ' + graph.replace(b"\n", b" ") + b"}\n")
        elif name in FORWARDED:
            self.command_worker(command, self.json.dumps(command).encode() + b"\n")

    def command_worker(self, command: dict[str, Any], line: bytes) -> None:
        name = command["command"]
        if name in RUNS_CODE and self.worker.network is not None:
            self.worker.network.wait()
        if name == "interrupt":
            self.relay.is_interrupting = True
        self.relay.given[command["number"]] = name
        self.worker.send(line)

    def restart(self) -> None:
        with self.killing:
            self.ending = ("RESTARTING", None)
            self.kill_all(float(self.settings["grace"]))

    def kill_all(self, grace: float) -> None:
        # Who waits for their share cannot tidy up.
        self.share.let_go()
        self.processes.kill_all(grace, self.sandbox.is_part)

    def end(
        self, state: str, reason: str | None, grace: float = 0.0, memory: tuple[float, float] | None = None
    ) -> None:
        with self.killing:
            if self.ending is None or self.ending[0] == "RESTARTING":
                self.ending = (state, reason)
                self.memory = memory
            self.kill_all(grace)

    def end_soon(self, state: str, reason: str) -> None:
        """For those who read from the worker: to end it they would have to wait for themselves."""
        self.threading.Thread(target=self.end, args=(state, reason), daemon=True).start()

    # The whole

    def serve(self) -> None:
        threading, processes = self.threading, self.processes
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=self.terminated, daemon=True).start())
        self.listen()
        posting = threading.Thread(target=self.post, daemon=True)
        posting.start()
        threading.Thread(target=self.poll_forever, daemon=True).start()
        processes.adopt_orphans()
        processes.keep_private()
        threading.Thread(target=self.metering.watch_forever, args=(self.end,), daemon=True).start()
        if 0 < self.share.cpus < (os.cpu_count() or 1):
            threading.Thread(target=self.share.keep_forever, daemon=True).start()
        while True:
            status = self.wait_for_worker()
            with self.killing:
                died = self.ending is None
                ending = self.ending or ("ERROR", self.why(status))
                processes.kill_all(0)
            notes = self.worker.last_notes()
            if self.sandbox:
                self.metering.count_sandbox(self.sandbox.own)
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
                self.sandbox.own.clear()
                self.worker = self.start_worker()
                self.relay = self.new_relay(self)
            self.listen()
        from .beneath import remove_copies

        self.metering.sample()
        self.metering.is_over = True
        self.tell_state(*ending, self.death(status, notes) if died or self.memory else None)
        self.outbox.close()
        posting.join()
        remove_copies(self.folder)

    def listen(self) -> None:
        relay = self.relay
        self.worker.read(relay.on_frame, relay.on_text, relay.on_violation)

    def why(self, status: int) -> str:
        """Why a worker ended that nobody had asked to end."""
        processes = self.processes
        if self.is_contained and os.WIFSIGNALED(status) and processes.memory_kills() > self.known_kills:
            limit = processes.memory_limit()
            self.memory = (max(limit, processes.memory_peak()), limit)
            return f"The session was ended: it used more than its {limit / 1e9:.3g} GB of memory."
        return processes.words_for(status, bool(self.sandbox))

    def death(self, status: int, notes: tuple[list[int], str]) -> dict[str, Any]:
        """For the server, which knows the names of nodes."""
        from .crash_notes import crashed_at

        nodes, report = notes
        code, number = self.processes.end_of(status, bool(self.sandbox))
        place, traceback = crashed_at(report, self.settings["runtime"]) if number and not self.memory else (None, "")
        if traceback:
            self.outbox.add_log(3, traceback, place["node"] if place else 0)
        unknown = {"line": 0, "function": ""}
        running = [{"node": node, **unknown} for node in (nodes or sorted(self.relay.running)[:64])]
        used, limit = (round(amount / 1e9, 4) for amount in self.memory) if self.memory else (None, None)
        return {
            "nodes": [place] if place else running,
            "exit_code": None if number else code,
            "signal": self.processes.signal_name(number) if number else None,
            "used_gb": used,
            "limit_gb": limit,
            "traceback": self.outbox.masked(traceback),
        }

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
                self.metering.count_ended(pid, used)
                return status


def main(source: str | int) -> None:
    close_for_children()
    Agent(read_settings(source)).serve()
