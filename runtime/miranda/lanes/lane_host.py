"""What node code asks of the platform, carried over the lane's channel to the worker, the agent and the server."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..declare import jsonable
from ..files import OutputFile, UploadedFile
from ..output.metrics import Metrics
from ..output.outputs import Outputs
from ..output.progress_bars import Bars
from ..worker.questions import Questions
from .lane_reports import LaneReports
from .node_runs import NodeRuns

LARGEST_ARTIFACT = 50_000_000


class LaneHost:
    """`folder_of` asks the worker for the folder of the bucket that a node stores in."""

    def __init__(self, reports: LaneReports, runs: NodeRuns, folder_of: Callable[[int], str]) -> None:
        streams = reports.streams
        self.channel = reports.channel
        self.streams = streams
        self.runs = runs
        self.folder_of = folder_of
        self.run_number = 0
        #: Whether callers wait for the run: then nobody is there to answer a question.
        self.is_call = False
        self.outputs = Outputs(self.send_output, lambda words: streams.record(2, words))
        self.bars = Bars()
        self.metrics = Metrics(self.channel.event, lambda words: streams.record(2, words))
        self.masks = reports.masks
        self.questions = Questions(reports.channel, streams)
        self.tracking_uri = ""

    def begin_run(self, number: int, is_call: bool, tracking_uri: str) -> None:
        self.run_number, self.is_call, self.tracking_uri = number, is_call, tracking_uri
        self.outputs.begin()
        self.metrics.begin(number)

    def node(self) -> int | None:
        current = self.runs.current
        return current.id if current else None

    def show(
        self,
        bundle: dict[str, Any],
        metadata: dict[str, Any],
        id: str | None = None,
        file: OutputFile | None = None,
    ) -> None:
        self.outputs.show(self.node(), self.run_number, bundle, metadata, id, file)

    def send_output(self, event: dict[str, Any]) -> None:
        self.streams.flush()
        self.channel.event(event)

    def progress(self, done: float, total: float | None, label: str) -> None:
        self.bars.set(self.node(), label, done, total, label)

    def log_metric(self, name: str, value: float, step: float | None) -> None:
        self.metrics.add(self.node(), name, value, step)

    def log_model(self, model: dict[str, Any]) -> None:
        artifact, given = model.pop("artifact"), model.pop("files")
        if artifact is not None:
            model["artifact"] = self.keep_artifact(model["name"], artifact)
        if self.tracking_uri and (artifact is not None or given is not None):
            # Imported for the first of them only: it would make every start slower.
            from .model_files import named_files, store

            own = {} if artifact is None else named_files(model["artifact"])
            model["logged_model"] = store(self.tracking_uri, model["name"], {**own, **named_files(given)})
        if model["hardware"] is None:
            model["hardware"] = hardware()
        numbers = {key: value for key, value in model["metrics"].items()}
        self.streams.flush()
        self.channel.event(
            {"kind": "model", "node": self.node(), "run": self.run_number, **model, "metrics": jsonable(numbers)}
        )

    def keep_artifact(self, name: str, artifact: Any) -> str:
        """Artifacts stay in the session's folder; the model list holds where."""
        folder = Path("models")
        folder.mkdir(exist_ok=True)
        if isinstance(artifact, (bytes, bytearray)):
            if len(artifact) > LARGEST_ARTIFACT:
                raise ValueError(f"An artifact can have at most {LARGEST_ARTIFACT} bytes; write it to storage().")
            safe = base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")[:100]
            path = folder / safe
            path.write_bytes(artifact)
            return str(path.resolve())
        path = Path(artifact)
        if not path.exists():
            raise FileNotFoundError(f"There is no file {path}.")
        return str(path.resolve())

    def secret(self, key: str) -> str:
        self.note_secret()
        return self.read_secret(key)

    def note_secret(self) -> None:
        """What a node made with a secret is not kept: not the secret's value, and not what depends on it."""
        current = self.runs.current or self.runs.firing
        if current is not None:
            current.secretive = True

    def read_secret(self, key: str) -> str:
        value = self.questions.read_secret(key)
        self.masks.add(value)
        return value

    def refuse_in_calls(self) -> None:
        if self.is_call:
            raise RuntimeError("Nobody can answer a question in an app. Ask for a field instead.")

    def ask_password(self, prompt: str) -> str:
        self.refuse_in_calls()
        self.note_secret()
        answer = self.questions.ask({"kind": "ask_password", "prompt": str(prompt)[:1_000], "node": self.node()})
        if answer.get("value") is None:
            raise RuntimeError(answer.get("error") or "Nobody answered.")
        return self.hidden(answer)

    def hidden(self, answer: dict[str, Any]) -> str:
        value = str(answer["value"])
        self.masks.add(value)
        return value

    def ask_input(self, prompt: object = "", /) -> str:
        """Stands for input(): asks the people in the graph, in the clear."""
        self.refuse_in_calls()
        self.note_secret()
        question = {"kind": "ask_password", "prompt": str(prompt)[:1_000], "node": self.node(), "hidden": False}
        answer = self.questions.ask(question)
        if answer.get("value") is None:
            raise EOFError(answer.get("error") or "Nobody answered.")
        return str(answer["value"])

    def file(self, wanted: UploadedFile) -> str:
        """Written with node code's own rights: nothing outside the sandbox may write where node code may put a link."""
        folder = Path("files") / wanted.file
        known = next(iter(folder.glob("*")), None) if folder.is_dir() else None
        if known is not None:
            return str(known.resolve())
        answer = self.questions.ask({"kind": "file", "file": wanted.file})
        if answer.get("content") is None:
            raise FileNotFoundError(answer.get("error") or f"The file {wanted.name} is gone.")
        name = os.path.basename(wanted.name.replace("\\", "/")).strip("\0")
        draft = folder.with_name(f".{wanted.file}.{os.urandom(4).hex()}")
        draft.mkdir(parents=True)
        # Made beside and renamed: another node that looks meanwhile finds all of it or nothing.
        (draft / (name if name not in ("", ".", "..") else "file")).write_bytes(base64.b64decode(answer["content"]))
        try:
            draft.rename(folder)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
        return str(next(iter(folder.glob("*"))).resolve())

    def storage(self) -> Path:
        current = self.runs.current
        folder = current.storage if current else None
        if current is not None and isinstance(folder, dict):
            return Path(self.folder_of(current.id))
        path = Path(str(folder or os.environ.get("MIRANDA_STORAGE") or "storage"))
        path.mkdir(parents=True, exist_ok=True)
        return path


def hardware() -> list[str]:
    return ["CPU", "GPU"] if os.path.exists("/dev/nvidia0") else ["CPU"]
