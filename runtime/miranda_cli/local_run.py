"""`miranda run`: a workflow on this machine, without a server, by the same worker that runs it there."""

from __future__ import annotations

import base64
import getpass
import json
import os
import re
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from .failures import FAILED, USAGE, Failure
from .folder import Folder
from .local_graph import LocalGraph
from .printer import Printer, complain, plain
from .saved_outputs import SavedOutputs
from .worker_link import WARNING, WorkerLink

ERROR = 3
RUN = 1


class LocalRun:
    def __init__(self, folder: Folder, outputs: Path, printer: Printer) -> None:
        self.printer = printer
        # Node code runs in a folder of its own, as on the server, where it can leave files without harm.
        work = folder.path.resolve() / ".miranda"
        self.session = work / "session"
        self.storage = work / "storage"
        self.environments = work / "environments"
        for made in (self.session, self.storage, self.environments):
            made.mkdir(parents=True, exist_ok=True)
        (work / ".gitignore").write_text("*\n", encoding="utf-8")
        self.graph = LocalGraph(folder, self.storage)
        self.given = self.graph.for_worker()
        self.outputs = SavedOutputs(outputs, self.graph.keys)
        self.ended = threading.Event()
        self.end: dict[str, Any] = {}
        self.statuses: dict[int, str] = {}

    def run(self) -> int:
        link = WorkerLink(self.session, self.storage, self.on_event, self.on_line)
        threading.Thread(target=self.watch, args=(link,), daemon=True).start()
        link.send(
            {
                "command": "run",
                "number": RUN,
                "mode": "all",
                "graph": self.given,
                "environments": str(self.environments),
                "uv": shutil.which("uv"),
            }
        )
        self.wait(link)
        status = link.end()
        return self.finish(status)

    def watch(self, link: WorkerLink) -> None:
        """A worker that dies must not leave us waiting."""
        link.process.wait()
        for reader in link.readers:
            reader.join(5)
        self.ended.set()

    def wait(self, link: WorkerLink) -> None:
        interrupts = 0
        while not self.ended.is_set():
            try:
                self.ended.wait(0.5)
            except KeyboardInterrupt:
                interrupts += 1
                if interrupts > 1:
                    link.process.kill()
                    continue
                complain("Ending the nodes that run. Press Ctrl-C again to end everything at once.")
                link.send({"command": "interrupt", "number": RUN + 1})

    def on_event(self, link: WorkerLink, event: dict[str, Any]) -> None:
        kind = event["kind"]
        if kind == "done" and event.get("number") == RUN:
            self.end = event
            self.ended.set()
        elif kind == "progress":
            self.statuses.update({int(node): status for node, status in event["statuses"].items()})
        elif kind == "output":
            self.show(event)
        elif kind == "model":
            self.outputs.save_model(event)
            entry = {"event": "model", "node": self.name(event["node"]), **strip(event)}
            self.printer.result(entry, f"model {event['name']}: {json.dumps(event['metrics'])}")
        elif kind in ("secret", "file", "ask_password"):
            # In a thread of its own: somebody may take long to answer, and the worker goes on meanwhile.
            threading.Thread(target=self.answer, args=(link, event), daemon=True).start()

    def on_line(self, node: int, level: int, text: str) -> None:
        name = self.name(node)
        for line in text.split("\n"):
            if self.printer.is_json:
                self.printer.result({"event": "log", "node": name, "level": level, "text": line})
            elif level in (WARNING, ERROR):
                complain(f"{name + ': ' if name else ''}{line}")
            else:
                self.printer.write(f"{name + ': ' if name else ''}{line}")

    def show(self, event: dict[str, Any]) -> None:
        paths = self.outputs.save(event)
        name = self.name(event["node"])
        entry = {"event": "output", "node": name, "number": event["number"], "files": paths, "data": event["data"]}
        text = str(event["data"].get("text/plain") or "")
        self.printer.result(entry, f"{name} shows {', '.join(paths)}{chr(10) + text if text else ''}")

    def name(self, node: int | None) -> str:
        return self.graph.keys.get(node or 0, "")

    def answer(self, link: WorkerLink, event: dict[str, Any]) -> None:
        try:
            answer = self.answer_to(event)
        except (Failure, OSError, EOFError) as error:
            answer = {"error": str(error)}
        link.send({"command": "answer", "question": event["question"], **answer})

    def answer_to(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["kind"] == "file":
            content = self.graph.uploads.get(event["file"])
            return {"content": base64.b64encode(content).decode()} if content is not None else {"content": None}
        if event["kind"] == "secret":
            name = "MIRANDA_SECRET_" + re.sub(r"\W", "_", str(event["key"])).upper()
            if name not in os.environ:
                raise Failure(f"There is no secret {event['key']!r}. On this machine, set {name}.")
            return {"value": os.environ[name]}
        if not sys.stdin.isatty():
            raise Failure("Nobody can answer: the input of this command is not a terminal.")
        prompt = plain(f"{self.name(event.get('node'))}: {event['prompt']} ")
        return {"value": getpass.getpass(prompt) if event.get("hidden", True) else input(prompt)}

    def finish(self, status: int) -> int:
        numbers: list[int] = self.end.get("failed") or []
        failed = [self.name(node) for node in numbers]
        error = self.end.get("error")
        if not self.end:
            error = f"The nodes ended their process ({f'signal {-status}' if status < 0 else f'exit code {status}'})."
        good = bool(self.end.get("good")) and error is None
        nodes = {self.name(node): state for node, state in self.statuses.items()}
        entry = {"event": "end", "good": good, "failed": failed, "error": error, "nodes": nodes}
        self.printer.result(entry)
        if good:
            self.printer.say(f"Done: {len(nodes)} nodes ran." if len(nodes) != 1 else "Done: 1 node ran.")
        elif error is not None:
            complain(error)
        elif self.end.get("interrupted"):
            complain("The run was interrupted.")
        else:
            complain(f"Failed: {', '.join(failed)}")
        return 0 if good else FAILED


def strip(event: dict[str, Any]) -> dict[str, Any]:
    return {name: event.get(name) for name in ("name", "metrics", "hardware", "artifact")}


def run_here(folder: Folder, outputs: Path, printer: Printer) -> int:
    if not hasattr(os, "posix_spawn"):
        raise Failure("Workflows run on Linux and macOS. Use: miranda run --remote", USAGE)
    return LocalRun(folder, outputs, printer).run()
