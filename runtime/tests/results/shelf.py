"""Sessions that share a place for results, without an agent or a server."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from miranda.results.session_results import SessionResults, planning

from ..graphs import Bench


class Shelf:
    """Keeps files as the server does, and counts what is asked of it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="miranda-shelf-"))
        self.loads: list[str] = []
        self.lost: dict[str, str] = {}
        self.reads: dict[str, Any] = {}

    def file(self, key: str) -> Path:
        return self.folder / key

    def keys(self) -> list[str]:
        return [path.name for path in self.folder.iterdir()]

    def ask(self, question: dict[str, Any], written: Path) -> dict[str, Any]:
        if question["kind"] == "find_results":
            found = {key: "Kept from session 12, 2 h ago." for key in question["keys"] if self.file(key).exists()}
            return {"found": found, "lost": self.lost, "reads": {key: self.reads[key] for key in found}}
        key = question["key"]
        if question["kind"] == "keep_result":
            shutil.copy(written / question["file"], self.file(key))
            self.reads[key] = json.loads(json.dumps(question["reads"]))
            return {}
        self.loads.append(key)
        return {"path": str(self.file(key))} if self.file(key).exists() else {"error": "it is not kept any more."}

    def close(self) -> None:
        shutil.rmtree(self.folder)


class KeepingBench(Bench):
    """A session on a shelf."""

    def __init__(
        self,
        shelf: Shelf,
        nodes: list[dict[str, Any]],
        edges: list[dict[str, Any]] | None = None,
        most: int = 1 << 30,
    ) -> None:
        super().__init__(nodes, edges)
        self.folder = tempfile.mkdtemp(prefix="miranda-session-")
        written = Path(self.folder, ".miranda", "results")
        questions = SimpleNamespace(
            ask=lambda question: shelf.ask(question, written),
            ask_patiently=lambda question: shelf.ask(question, written),
        )
        streams = SimpleNamespace(record=lambda level, text: self.remarks.append(text))
        packages = SimpleNamespace(use_installed=lambda command: None)
        session: Any = SimpleNamespace(
            executor=self.executor,
            questions=questions,
            streams=streams,
            packages=packages,
            folder=self.folder,
            run_number=1,
        )
        self.results = SessionResults(session, most)
        self.results.keys.packages_of = lambda state: ()
        self.keeper = self.results.keeper

    def go(self, mode: str = "changed", target: int | None = None, resume: bool = False) -> list[int]:
        """Runs, and waits until everything is kept. The nodes that ran."""
        self.results.begin()
        self.executor.update(self.given)
        command = {"mode": mode, "target": target, "resume": resume}
        assert self.results.before_run(command) is None
        self.executor.run(mode, target)
        ran = [state.id for state in self.executor.graph.nodes.values() if state.planned and state.runs > 0]
        self.settle()
        return ran

    def settle(self) -> None:
        self.keeper.settle()
        with self.keeper.changed:
            self.keeper.changed.wait_for(lambda: not self.keeper.waiting)

    def kept_plan(self, resume: bool = True, mode: str = "changed") -> dict[int, tuple[bool, str]]:
        self.results.begin()
        self.executor.update(self.given)
        command = {"mode": mode, "resume": resume}
        with planning(self.results, command):
            entries = self.executor.plan(mode, None)
        return {entry["node"]: (entry["run"], entry["reason"]) for entry in entries}

    def close(self) -> None:
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)
