"""What comes from the worker, on its way to the server. None of it is believed before it was checked."""

from __future__ import annotations

from .frames import RECORD
from .lines import Lines
from .protocol import parse
from .worker_process import TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .agent import Agent

#: While the worker is at one of these, node code may run, stop at a breakpoint and go on.
RUNNING = ("run", "compile", "run-setup")
#: Messages and fields that hold no words of node code.
WITHOUT_WORDS = ("hello", "resumed", "interrupting", "withdraw", "early", "secret", "file")
NAMES = ("kind", "command")
MOST_UNFINISHED = 32
MOST_RUNNING = 1_000


class Relay:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.outbox = agent.outbox
        #: By source, kind and node: several nodes may be in the middle of a line.
        self.assemblers: dict[tuple[str, int, int], Lines] = {}
        #: The commands that this worker was given and has not ended, by number.
        self.given: dict[int, str] = {}
        self.has_begun = False
        self.is_paused = False
        #: Questions of this worker that people have not answered.
        #: Whether their answers are secrets.
        self.asked: dict[int, bool] = {}
        #: The nodes that run, as far as the worker has told.
        self.running: set[int] = set()
        self.is_interrupting = False

    def on_text(self, source: str, kind: int, data: bytes) -> None:
        node = self.agent.worker.node if source == "channel" else 0
        if kind == RECORD:
            level = data[0] if data else 0
            text = data[1:].decode("utf-8", "replace").replace("\0", "\u2400")
            self.outbox.add_log(level if level <= 4 else 0, text, node)
            return
        key = (source, kind, node)
        lines = self.assemblers.get(key)
        if lines is None:
            if source == "channel":
                self.make_room()
            lines = self.assemblers[key] = Lines()
            self.outbox.lines = [(TAGS[k], held) for (_, k, _), held in list(self.assemblers.items())]
        text = lines.feed(data)
        if text is not None:
            self.outbox.add_log(TAGS[kind], text, node)

    def make_room(self) -> None:
        """Each can hold a long line, and the worker can name any number of nodes."""
        of_nodes = [key for key in list(self.assemblers) if key[0] == "channel"]
        for key in of_nodes if len(of_nodes) >= MOST_UNFINISHED else ():
            left = self.assemblers.pop(key).finish()
            if left is not None:
                self.outbox.add_log(TAGS[key[1]], left, key[2])

    def finish_lines(self) -> None:
        """What was written without a newline when a run ends is a line too."""
        for (_, kind, node), lines in list(self.assemblers.items()):
            left = lines.finish()
            if left is not None:
                self.outbox.add_log(TAGS[kind], left, node)

    def on_frame(self, _kind: int, body: bytes) -> None:
        message = self.masked(parse(body))
        size = len(body)
        match message["kind"]:
            case "hello":
                self.begin()
            case "break":
                self.pause(message, size)
            case "resumed":
                if self.is_paused:
                    self.is_paused = False
                    self.agent.tell_state("RUNNING")
            case "done":
                self.finish(message, size)
            case "early":
                if self.given.get(message["number"]) == message["command"]:
                    self.outbox.add(message, size)
            case "secret":
                self.agent.questions.put(message["question"], "secret", {"key": message["key"]})
            case "file":
                self.agent.questions.put(message["question"], "file", {"file": message["file"]})
            case "ask_password":
                self.asked[message["question"]] = message["hidden"]
                self.outbox.add(message, size)
            case "withdraw":
                # Not of another worker's questions, nor of git's.
                if message["question"] in self.asked:
                    del self.asked[message["question"]]
                    self.outbox.add(message, size)
            case "progress":
                self.note_running(message["statuses"])
                self.outbox.add(message, size)
            case "interrupting":
                # Only while somebody waits for it: people would read what node code likes about a run that goes on.
                if self.is_interrupting:
                    self.outbox.add(message, size)
            case _:
                self.outbox.add(message, size)

    def note_running(self, statuses: dict[str, str]) -> None:
        for node, status in statuses.items():
            if status != "running":
                self.running.discard(int(node))
            elif len(self.running) < MOST_RUNNING:
                self.running.add(int(node))

    def masked(self, message: dict[str, Any]) -> dict[str, Any]:
        """Only what people read: a secret such as 1042 may also be the number of a node, which the server has to know."""
        if not self.outbox.secrets:
            return message
        if message["kind"] == "progress":
            # Its only words are those at the bars.
            for bar in (bar for bars in message.get("bars", {}).values() for bar in bars):
                bar["label"] = self.outbox.masked(bar["label"])
            return message
        if message["kind"] in WITHOUT_WORDS:
            return message
        return {name: value if name in NAMES else self.outbox.masked(value) for name, value in message.items()}

    def begin(self) -> None:
        if not self.has_begun:
            self.has_begun = True
            self.agent.tell_state("READY")

    def pause(self, message: dict[str, Any], size: int) -> None:
        """Only a run can be paused: the state of a session is not for node code to choose."""
        # A copy: the thread that takes the server's commands adds to it.
        if any(name in RUNNING for name in list(self.given.values())):
            self.is_paused = True
            self.outbox.add(message, size)
            self.agent.tell_state("RESUMEREADY")

    def finish(self, message: dict[str, Any], size: int) -> None:
        """Each command ends once, and only those that were given."""
        number, name = message["number"], message["command"]
        if self.given.get(number) != name:
            return
        del self.given[number]
        is_run = name in RUNNING
        if is_run:
            self.agent.worker.settle(self.finish_lines)
            self.is_paused = self.is_interrupting = False
            self.running.clear()
        self.outbox.add(message, size)
        if is_run:
            self.agent.tell_state("READY")

    def on_violation(self, what: str) -> None:
        words = f"The session was ended: node code wrote to the worker's own channel ({what})."
        self.agent.end_soon("ERROR", words)

    def close(self) -> None:
        for question in self.asked:
            self.outbox.add({"kind": "withdraw", "question": question})
        self.finish_lines()
