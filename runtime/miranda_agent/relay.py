"""Passes what the worker sends on to the server. Nothing is trusted before protocol.py has checked it."""

from __future__ import annotations

from .frames import RECORD
from .lines import Lines
from .protocol import parse
from .worker_process import TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .outbox import Outbox
    from .questions import Questions
    from .state_reports import StateReports
    from .worker_process import Worker

#: While the worker carries out one of these, node code may run, stop at a breakpoint and go on.
RUNNING = ("run", "compile", "run-setup")
#: Messages that hold no text of node code, and fields that never do.
RESULTS = ("find_results", "load_result", "keep_result")
WITHOUT_TEXT = ("hello", "resumed", "interrupting", "withdraw", "early", "secret", "file", *RESULTS)
NAMES = ("kind", "command")
MOST_UNFINISHED = 32
MOST_RUNNING = 1_000


class Relay:
    """For one worker."""

    def __init__(
        self,
        worker: Worker,
        outbox: Outbox,
        states: StateReports,
        questions: Questions,
        results: Questions,
        end_soon: Callable[[str, str], None],
        measure: Callable[[], object],
    ) -> None:
        self.worker = worker
        self.outbox = outbox
        self.states = states
        self.questions = questions
        self.results = results
        self.end_soon = end_soon
        self.measure = measure
        #: Unfinished lines by source, kind and node: several nodes may be in the middle of a line.
        self.unfinished_lines: dict[tuple[str, int, int], Lines] = {}
        #: The commands that this worker was given and has not finished, by number.
        self.unfinished_commands: dict[int, str] = {}
        self.has_begun = False
        self.is_paused = False
        #: Questions of this worker that nobody has answered, and whether their answers are secrets.
        self.open_questions: dict[int, bool] = {}
        #: The nodes that run, as far as the worker has reported.
        self.running: set[int] = set()
        self.is_interrupting = False

    # Text

    def on_text(self, source: str, kind: int, data: bytes) -> None:
        node = self.worker.node if source == "channel" else 0
        if kind == RECORD:
            level = data[0] if data else 0
            text = data[1:].decode("utf-8", "replace").replace("\0", "\u2400")
            self.outbox.add_log(level if level <= 4 else 0, text, node)
            return
        key = (source, kind, node)
        lines = self.unfinished_lines.get(key)
        if lines is None:
            if source == "channel":
                self.make_room()
            lines = self.unfinished_lines[key] = Lines()
            self.outbox.unfinished = [(TAGS[k], held) for (_, k, _), held in list(self.unfinished_lines.items())]
        text = lines.feed(data)
        if text is not None:
            self.outbox.add_log(TAGS[kind], text, node)

    def make_room(self) -> None:
        """Each unfinished line may be long, and the worker can name any number of nodes: finish them when too many."""
        of_nodes = [key for key in list(self.unfinished_lines) if key[0] == "channel"]
        for key in of_nodes if len(of_nodes) >= MOST_UNFINISHED else ():
            text = self.unfinished_lines.pop(key).finish()
            if text is not None:
                self.outbox.add_log(TAGS[key[1]], text, key[2])

    def finish_lines(self) -> None:
        """Text without a newline at the end of a run is a line too."""
        for (_, kind, node), lines in list(self.unfinished_lines.items()):
            text = lines.finish()
            if text is not None:
                self.outbox.add_log(TAGS[kind], text, node)

    # Messages

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
                    self.states.publish("RUNNING")
            case "done":
                self.finish(message, size)
            case "early":
                if self.unfinished_commands.get(message["number"]) == message["command"]:
                    self.outbox.add(message, size)
            case "secret":
                self.questions.put(message["question"], "secret", {"key": message["key"]})
            case "file":
                self.questions.put(message["question"], "file", {"file": message["file"]})
            case "find_results" | "load_result" | "keep_result":
                self.results.put(message["question"], message["kind"], message)
            case "ask_password":
                self.open_questions[message["question"]] = message["hidden"]
                self.outbox.add(message, size)
            case "withdraw":
                # Not another worker's questions, nor those of git.
                if message["question"] in self.open_questions:
                    del self.open_questions[message["question"]]
                    self.outbox.add(message, size)
            case "progress":
                self.note_running(message["statuses"])
                self.outbox.add(message, size)
            case "interrupting":
                # Only during an interrupt: else node code could show people anything it likes about a run.
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
        """Masks only what people read: a secret such as 1042 may also be the number of a node."""
        if not self.outbox.secrets:
            return message
        if message["kind"] == "progress":
            # Its only text is that of the bars.
            for bar in (bar for bars in message.get("bars", {}).values() for bar in bars):
                bar["label"] = self.outbox.masked(bar["label"])
            return message
        if message["kind"] in WITHOUT_TEXT:
            return message
        return {name: value if name in NAMES else self.outbox.masked(value) for name, value in message.items()}

    def begin(self) -> None:
        if not self.has_begun:
            self.has_begun = True
            self.states.publish("READY")

    def pause(self, message: dict[str, Any], size: int) -> None:
        """Only a run can be paused: node code must not choose the state of its session."""
        # A copy: the thread that dispatches commands adds to it.
        if any(name in RUNNING for name in list(self.unfinished_commands.values())):
            self.is_paused = True
            # Together: who is told of the break may send the next command at once.
            self.outbox.add_together(message, self.states.event("RESUMEREADY"), size)

    def finish(self, message: dict[str, Any], size: int) -> None:
        """A command ends once, and only if it was given."""
        number, name = message["number"], message["command"]
        if self.unfinished_commands.get(number) != name:
            return
        del self.unfinished_commands[number]
        is_run = name in RUNNING
        if is_run:
            self.worker.settle(self.finish_lines)
            self.is_paused = self.is_interrupting = False
            self.running.clear()
        # A call is measured before its end is sent, so that both are stored together.
        is_measured = name == "run" and self.outbox.serves_calls
        if is_measured:
            self.measure()
        if is_run:
            # As the end of this command: a restart may have come, and a session is not ready before its new worker is.
            # Together: somebody waits for both.
            self.outbox.add_together(message, self.states.event("READY", command=number), size)
        else:
            self.outbox.add(message, size)
        if name == "run" and not is_measured:
            # After its end, which people wait for. The server adds this sample to the run.
            self.measure()

    def on_violation(self, what: str) -> None:
        self.end_soon("ERROR", f"The session was ended: node code wrote to the worker's own channel ({what}).")

    def close(self) -> None:
        for question in self.open_questions:
            self.outbox.add({"kind": "withdraw", "question": question})
        self.finish_lines()
