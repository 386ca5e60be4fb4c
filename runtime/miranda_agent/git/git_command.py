"""
The agent's part in a git command: it starts a process, answers its questions, and ends it when its time is over. That
process holds a person's password or key, so it has a folder that node code does not see. Where both share a machine's
processes (in a container, or without a sandbox), node code is halted meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import signal
import tempfile
import threading

from ..processes import alive, descendants, send
from ..worker_process import environment, high, high_pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

    from ..children import Child
    from ..message_types import Answer, Command, GitOutcome
    from ..outbox import Outbox
    from ..processes import Process
    from ..sandbox import Sandbox
    from ..server_client import ServerClient
    from ..state_reports import StateReports

LATE = {
    "git-pull": "Timed out trying to git pull the repository.",
    "git-soft-pull": "Timed out trying to git pull the repository.",
    "git-push": "Timed out trying to git push to the repository.",
}
LONGEST_LINE = 16 << 20
MOST_KNOWN_HOSTS = 100_000
#: A name or address, the kind of a key, the key: nothing else that a file may hold passes for a known host.
KNOWN_HOST = re.compile(r"[\w.,:\[\]-]{1,500} (ssh|ecdsa|sk)-[\w@.-]{1,100} [A-Za-z0-9+/=]{1,4000}", re.ASCII)
#: Out of the way of the numbers that the worker gives its own questions.
FIRST_QUESTION = 1 << 40
BOOTSTRAP = "import sys; sys.path.insert(0, {runtime!r}); from miranda_agent.git.git_task import main; main()"


class GitCommands:
    """One at a time: the server gives no other while one is under way."""

    def __init__(
        self,
        settings: dict[str, str],
        sandbox: Sandbox,
        outbox: Outbox,
        states: StateReports,
        server: ServerClient,
        killing: threading.RLock,
    ) -> None:
        self.settings = settings
        self.sandbox = sandbox
        self.outbox = outbox
        self.states = states
        self.server = server
        #: Held while a process is started or halted. The supervisor holds it while it ends all processes.
        self.killing = killing
        self.question = FIRST_QUESTION
        self.answers: dict[int, queue.SimpleQueue[Answer]] = {}
        #: Which servers this session has met over ssh: one that shows another key later is not them.
        self.known_hosts = ""
        #: Ends the process that is under way.
        self.end_now: Callable[[], None] | None = None

    def start(self, command: Command) -> None:
        threading.Thread(target=self.perform, args=(command,), daemon=True).start()

    def interrupt(self) -> bool:
        """Whether there was something to interrupt."""
        end = self.end_now
        if end is None:
            return False
        end()
        return True

    def perform(self, command: Command) -> None:
        name, number, outbox = command["command"], command["number"], self.outbox
        folder = None
        try:
            folder = self.make_folder()
            with self.halted():
                outcome = self.run(command, folder)
        except OSError as error:
            outcome = {"error": f"Git could not be run: {error}", "summary": ""}
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        error, summary = outbox.masked(outcome["error"]), outbox.masked(outcome["summary"])
        if summary:
            outbox.add_log(1, summary)
        if error:
            outbox.add_log(3, error)
        outbox.add({"kind": "done", "command": name, "number": number, "error": error, "summary": summary})
        if self.states.command == number:
            self.states.publish("READY")

    def make_folder(self) -> str:
        """One that only we could have prepared: its sandbox shows it at this name, and no other shows it at all."""
        settings = self.settings
        folder = settings.get("git_folder")
        if not folder:
            return tempfile.mkdtemp(prefix=".git-", dir=settings["folder"])
        # One may be left of an agent that was killed.
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder, 0o700)
        if "git_owner" in settings:
            owner = int(settings["git_owner"])
            os.chown(folder, owner, owner)
        return folder

    @contextlib.contextmanager
    def halted(self) -> Generator[None]:
        """Node code with the same rights could read the key from the file or the memory of the process beside it."""
        if self.sandbox:
            yield
            return
        known: list[Process] = []
        with self.killing:
            while True:
                seen = {process.key for process in known}
                found = [one for one in alive(descendants(os.getpid())) if one.key not in seen and one.state != b"T"]
                if not found:
                    break
                for process in found:
                    send(process, signal.SIGSTOP)
                known += found
        try:
            yield
        finally:
            for process in known:
                send(process, signal.SIGCONT)

    def run(self, command: Command, folder: str) -> GitOutcome:
        settings = self.settings
        (inner_in, outer_out), (outer_in, inner_out) = high_pipe(), high_pipe()
        nothing = high(os.open(os.devnull, os.O_RDWR))
        # What goes wrong in there beside git is in the agent's own log.
        places = [(nothing, 0), (nothing, 1), (inner_in, 3), (inner_out, 4)]
        script = BOOTSTRAP.format(runtime=settings["runtime"])
        arguments = [settings["python"], "-I", "-S", "-X", "utf8", "-c", script]
        variables = environment(dict(os.environ), {"MIRANDA_JOB": settings["job"]})
        with self.killing:
            child, network = self.sandbox.launch("git", arguments, variables, places)
        for fd in (nothing, inner_in, inner_out):
            os.close(fd)
        is_late, is_interrupted = threading.Event(), threading.Event()

        def end(why: threading.Event = is_late) -> None:
            why.set()
            # Everything it started is in its group, or in the sandbox that ends with it.
            self.sandbox.children.kill(child, whole_group=True)

        self.end_now = lambda: end(is_interrupted)

        timer = threading.Timer(float(command.get("seconds", 0)), end)
        timer.daemon = True
        timer.start()
        task = {**command, "folder": folder, "known_hosts": self.known_hosts}
        outcome: dict[str, Any] | None = None
        try:
            if network is not None:
                network.wait()
            with open(outer_in, "rb") as channel, open(outer_out, "wb", buffering=0) as commands:
                commands.write(json.dumps(task).encode() + b"\n")
                while line := channel.readline(LONGEST_LINE):
                    asked: dict[str, Any] = json.loads(line)
                    if "done" in asked:
                        outcome = asked
                        break
                    commands.write(json.dumps(self.answer(asked, command["number"], child)).encode() + b"\n")
        except (OSError, ValueError):
            pass
        finally:
            timer.cancel()
            self.end_now = None
            if network is not None:
                network.end()
        if is_late.is_set():
            return {"error": LATE[command["command"]], "summary": ""}
        if outcome is None and is_interrupted.is_set():
            return {"error": "Interrupted", "summary": ""}
        if outcome is None:
            return {"error": "Git was ended before it was done.", "summary": ""}
        self.keep_hosts(outcome.get("known_hosts"))
        return {"error": words(outcome.get("error")) or None, "summary": words(outcome.get("summary"))}

    def answer(self, asked: dict[str, Any], number: int, child: Child) -> Answer:
        if asked["ask"] == "server":
            return self.server.ask(f"git/{number}", asked["body"])
        if asked["ask"] == "secret":
            answer = self.server.ask("secret", {"key": asked["key"], "command": number})
        else:
            answer = self.ask_people(asked["prompt"], child)
        value = answer.get("value")
        if isinstance(value, str):
            self.outbox.hide(value)
            # It may be a user's name and a password.
            self.outbox.hide(value.partition(":")[2])
        return answer

    def ask_people(self, prompt: str, child: Child) -> Answer:
        self.question += 1
        question = self.question
        waiting: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self.answers[question] = waiting
        self.outbox.add({"kind": "ask_password", "question": question, "prompt": prompt[:1_000]})
        try:
            while not child.has_ended:
                try:
                    return waiting.get(timeout=0.2)
                except queue.Empty:
                    continue
        finally:
            del self.answers[question]
        # Or the answer to a later question would be taken for this one's.
        self.outbox.add({"kind": "withdraw", "question": question})
        return {"error": "Nobody answered."}

    def give(self, question: int, answer: Answer) -> bool:
        """Whether it was a question of ours."""
        waiting = self.answers.get(question)
        if waiting is not None:
            waiting.put(answer)
        return question >= FIRST_QUESTION

    def keep_hosts(self, lines_of_ssh: Any) -> None:
        """Known hosts come through the channel and not in a file: a file could be a link to anything."""
        known = dict.fromkeys(self.known_hosts.splitlines())
        lines = words(lines_of_ssh)[:MOST_KNOWN_HOSTS].splitlines()
        known.update(dict.fromkeys(line for line in lines if KNOWN_HOST.fullmatch(line)))
        self.known_hosts = "".join(f"{line}\n" for line in known)[:MOST_KNOWN_HOSTS]


def words(value: Any) -> str:
    return value if isinstance(value, str) else ""
