"""The server's commands: some are for the agent itself, most are passed on to the worker."""

from __future__ import annotations

import json
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .git.git_command import GitCommands
    from .message_types import Answer, Command
    from .outbox import Outbox
    from .sandbox import Sandbox
    from .server_client import ServerClient
    from .state_reports import StateReports
    from .supervisor import Supervisor

STEPS = ("step-over", "step-in", "step-out")
DEBUGGING = ("continue", "evaluate", "cancel-evaluate", "unfold", "frame", "exceptions", "break", "clear", *STEPS)
FORWARDED = ("compile", "pause", "interrupt", "force-stop", "info", "sample", *DEBUGGING)
GIT = ("git-pull", "git-soft-pull", "git-push")
WITH_GRAPH = ("run", "plan", "run-setup")
#: These change the state of the session.
WITH_STATE = ("run", "compile", "run-setup", "restart", "stop", *GIT)
#: With these node code begins to run: its network has to be there.
RUNS_CODE = ("run", "run-setup", "compile")


class Commands:
    def __init__(
        self,
        settings: dict[str, str],
        sandbox: Sandbox,
        supervisor: Supervisor,
        server: ServerClient,
        outbox: Outbox,
        states: StateReports,
    ) -> None:
        self.settings = settings
        self.sandbox = sandbox
        self.supervisor = supervisor
        self.server = server
        self.outbox = outbox
        self.states = states
        self.last_number = 0
        #: Of a session that serves calls: its release, and the worker that has it.
        self.release: bytes | None = None
        self.released_to: object = None
        #: Made when the first git command comes: what it imports would make every start slower.
        self.git: GitCommands | None = None

    def poll_forever(self) -> None:
        if "serves_calls" in self.settings:
            # While the worker starts: the first call needs it.
            self.release = self.server.graph()
        while True:
            for command in self.server.commands_after(self.last_number):
                self.last_number = command["number"]
                self.dispatch(command)

    def dispatch(self, command: Command) -> None:
        name = command["command"]
        if name in WITH_STATE:
            self.states.command = command["number"]
        if name == "stop":
            grace = float(self.settings["grace"])
            self.supervisor.end(command.get("state", "EXITED"), command.get("reason"), grace)
        elif name == "restart":
            self.supervisor.restart()
        elif name in GIT:
            self.start_git(command)
        elif name == "interrupt" and "of" in command and command["of"] not in self.supervisor.relay.unfinished_commands:
            # That call has ended meanwhile: the next one must not be interrupted for it.
            self.outbox.add({"kind": "done", "command": name, "number": command["number"]})
        elif name == "interrupt" and self.git is not None and self.git.interrupt():
            self.outbox.add({"kind": "done", "command": name, "number": command["number"]})
        elif name == "answered" and "question" in command:
            question = command["question"]
            is_hidden = self.supervisor.relay.open_questions.pop(question, True)
            # In a thread, and not among the worker's own questions: those may be full, and the next command may be to
            # stop.
            threading.Thread(target=self.fetch_answer, args=(question, is_hidden), daemon=True).start()
        elif name in WITH_GRAPH:
            graph = self.graph_for(command)
            command["environments"] = self.settings["environments"]
            command["uv"] = self.settings.get("uv")
            command["pythons"] = self.settings.get("pythons", "")
            line = json.dumps(command)
            if graph is None:
                self.forward(command, line.encode() + b"\n")
                return
            # The graph's text is not parsed here: it may be megabytes, and the worker reads it anyway.
            self.forward(command, line[:-1].encode() + b', "graph": ' + graph.replace(b"\n", b" ") + b"}\n")
        elif name in FORWARDED:
            self.forward(command, json.dumps(command).encode() + b"\n")

    def graph_for(self, command: Command) -> bytes | None:
        """A release never changes: it is fetched once, and each worker gets it once."""
        if "call" not in command:
            return self.server.graph()
        if self.release is None:
            self.release = self.server.graph()
        if self.released_to is self.supervisor.worker:
            return None
        self.released_to = self.supervisor.worker
        return self.release

    def forward(self, command: Command, line: bytes) -> None:
        worker, relay, name = self.supervisor.worker, self.supervisor.relay, command["command"]
        if name in RUNS_CODE and worker.network is not None:
            worker.network.wait()
        if name in ("interrupt", "force-stop"):
            relay.is_interrupting = True
        relay.unfinished_commands[command["number"]] = name
        if name == "run" and "call" in command:
            self.outbox.gather()
        worker.send(line)
        if name == "run":
            # What was used before the run is not its own.
            self.supervisor.metering.begin_run(command.get("run", 0), "call" in command)

    def start_git(self, command: Command) -> None:
        # Imported for the first git command only: most sessions have none.
        from .git.git_command import GitCommands

        if self.git is None:
            killing = self.supervisor.killing
            self.git = GitCommands(self.settings, self.sandbox, self.outbox, self.states, self.server, killing)
        self.git.start(command)

    def fetch_answer(self, question: int, is_hidden: bool) -> None:
        self.give_answer(question, self.server.ask("secret", {"question": question}), is_hidden)

    def give_answer(self, question: int, answer: Answer, is_hidden: bool = True) -> None:
        """Passes the answer to the one that asked: git, or node code in the worker."""
        value = answer.get("value")
        if isinstance(value, str) and is_hidden:
            self.outbox.hide(value)
        if self.git is None or not self.git.give(question, answer):
            command = {"command": "answer", "question": question, **answer}
            self.supervisor.worker.send(json.dumps(command).encode() + b"\n", is_patient=True)
