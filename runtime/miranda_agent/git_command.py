"""The agent's part in a git command: a process for it, what that asks for, and its end when its time is over."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import threading

from .worker_process import environment, high, spawn

LATE = {
    "git-pull": "Timed out trying to git pull the repository.",
    "git-soft-pull": "Timed out trying to git pull the repository.",
    "git-push": "Timed out trying to git push to the repository.",
}
#: Out of the way of the numbers that the worker gives its own questions.
FIRST_QUESTION = 1 << 40
BOOTSTRAP = "import sys; sys.path.insert(0, {runtime!r}); from miranda_agent.git_task import main; main()"


class GitCommands:
    """One at a time: the server gives no other while one is under way."""

    def __init__(self, agent) -> None:
        self.agent = agent
        self.question = FIRST_QUESTION
        self.answers: dict[int, queue.SimpleQueue[dict]] = {}
        #: Which servers this session has met over ssh: one that shows another key later is not them.
        self.known_hosts = ""

    def start(self, command: dict) -> None:
        threading.Thread(target=self.perform, args=(command,), daemon=True).start()

    def perform(self, command: dict) -> None:
        agent, name, number = self.agent, command["command"], command["number"]
        folder = os.path.join(agent.folder, f".git-{number}")
        try:
            os.mkdir(folder, 0o700)
            outcome = self.run(command, folder)
        except OSError as error:
            outcome = {"error": f"Git could not be run: {error}", "summary": ""}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        outbox = agent.outbox
        error, summary = outbox.masked(outcome["error"]), outbox.masked(outcome["summary"])
        if summary:
            outbox.add_log(1, summary)
        if error:
            outbox.add_log(3, error)
        outbox.add({"kind": "done", "command": name, "number": number, "error": error, "summary": summary})
        if agent.state_command == number:
            agent.tell_state("READY")

    def run(self, command: dict, folder: str) -> dict:
        agent = self.agent
        (inner_in, outer_out), (outer_in, inner_out) = (tuple(high(fd) for fd in os.pipe()) for _ in range(2))
        nothing = high(os.open(os.devnull, os.O_RDWR))
        places = [(nothing, 0), (nothing, 1), (nothing, 2), (inner_in, 3), (inner_out, 4)]
        script = BOOTSTRAP.format(runtime=agent.settings["runtime"])
        arguments = [*agent.around, agent.settings["python"], "-I", "-S", "-X", "utf8", "-c", script]
        variables = environment(dict(os.environ), {"MIRANDA_JOB": agent.job})
        with agent.killing:
            pid = spawn(arguments[0], arguments, variables, places)
        for fd in (nothing, inner_in, inner_out):
            os.close(fd)
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            # Everything it started is in its group, or in the sandbox that ends with it.
            if is_alive(pid):
                os.killpg(pid, signal.SIGKILL)

        timer = threading.Timer(float(command["seconds"]), end)
        timer.daemon = True
        timer.start()
        told = {**command, "folder": folder, "known_hosts": self.known_hosts}
        outcome = None
        try:
            with open(outer_in, "rb") as channel, open(outer_out, "wb", buffering=0) as commands:
                commands.write(json.dumps(told).encode() + b"\n")
                for line in channel:
                    asked = json.loads(line)
                    if "done" in asked:
                        outcome = asked
                        break
                    commands.write(json.dumps(self.answer(asked, command["number"], pid)).encode() + b"\n")
        except (OSError, ValueError):
            pass
        finally:
            timer.cancel()
        if is_late.is_set():
            return {"error": LATE[command["command"]], "summary": ""}
        self.keep_hosts(folder)
        return outcome or {"error": "Git was ended before it was done.", "summary": ""}

    def answer(self, asked: dict, number: int, pid: int) -> dict:
        agent = self.agent
        if asked["ask"] == "server":
            return agent.ask_server(f"git/{number}", asked["body"])
        if asked["ask"] == "secret":
            answer = agent.ask_server("secret", {"key": asked["key"], "command": number})
        else:
            answer = self.ask_people(asked["prompt"], pid)
        value = answer.get("value")
        if isinstance(value, str):
            # A name may stand before it.
            agent.hide(value, value.partition(":")[2])
        return answer

    def ask_people(self, prompt: str, pid: int) -> dict:
        self.question += 1
        question, waiting = self.question, queue.SimpleQueue()
        self.answers[question] = waiting
        self.agent.outbox.add({"kind": "ask_password", "question": question, "prompt": prompt[:1_000]})
        try:
            while is_alive(pid):
                try:
                    return waiting.get(timeout=0.2)
                except queue.Empty:
                    continue
        finally:
            del self.answers[question]
        # Or the answer to a later question would be taken for this one's.
        self.agent.outbox.add({"kind": "withdraw", "question": question})
        return {"error": "Nobody answered."}

    def give(self, question: int, answer: dict) -> bool:
        """Whether it was a question of ours."""
        waiting = self.answers.get(question)
        if waiting is not None:
            waiting.put(answer)
        return question >= FIRST_QUESTION

    def keep_hosts(self, folder: str) -> None:
        known = dict.fromkeys(self.known_hosts.splitlines())
        for name in os.listdir(folder):
            try:
                with open(os.path.join(folder, name, "known_hosts"), encoding="utf-8") as file:
                    known.update(dict.fromkeys(file.read(100_000).splitlines()))
            except OSError:
                continue
        self.known_hosts = "".join(f"{line}\n" for line in known if line)


def is_alive(pid: int) -> bool:
    """The one who waits for all children takes it away as soon as it has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
