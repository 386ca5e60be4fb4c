"""What node code asks of the platform, carried over the worker's channel to the agent and on to the server."""

from __future__ import annotations

import base64
import os
import shutil
import threading
from pathlib import Path
from typing import Any

from ..debugging.masks import Masks
from ..declare import jsonable
from ..execution.executor import Executor
from ..execution.node_threads import Interrupted
from ..files import OutputFile, UploadedFile
from ..output.metrics import Metrics
from ..output.outputs import Outputs
from ..output.progress_bars import Bars
from ..output.streams import Channel, Streams
from .tracking import Tracking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..s3.buckets import Buckets

LARGEST_ARTIFACT = 50_000_000

#: What waits for an answer, by the number of its question.
Questions = dict[int, tuple[threading.Event, dict[str, Any]]]


class PlatformHost:
    def __init__(self, channel: Channel, streams: Streams, executor: Executor) -> None:
        self.channel = channel
        self.streams = streams
        self.executor = executor
        self.run_number = 0
        #: Whether callers wait for the run: then nobody is there to answer a question.
        self.is_call = False
        self.outputs = Outputs(self.send_output, lambda words: streams.record(2, words))
        self.bars = Bars()
        self.metrics = Metrics(self.channel.event, lambda words: streams.record(2, words))
        self.masks = Masks()
        self.tracking = Tracking()
        self.questions: Questions = {}
        #: Those that an interrupt does not end.
        self.lasting_questions: Questions = {}
        #: Not from one: an answer that was meant for the worker before this one must not fit.
        self.question = int.from_bytes(os.urandom(5), "big") >> 1
        self.lock = threading.Lock()
        self.folder = os.path.join(os.getcwd(), "s3")
        self.buckets: Buckets | None = None

    def begin_run(self, number: int) -> None:
        self.run_number = number
        self.outputs.begin()
        self.metrics.begin(number)
        self.tracking.begin_run(self.executor.graph.name)
        self.begin_stores()

    def begin_stores(self) -> None:
        nodes = self.executor.graph.nodes.values()
        if self.buckets is None and any(isinstance(state.storage, dict) for state in nodes):
            # Only now: what it imports takes longer than everything else here.
            from ..s3.buckets import Buckets

            self.buckets = self.executor.stores = Buckets(self.folder, self.read_secret, self.streams.record)
        if self.buckets is not None:
            self.buckets.begin()

    def node(self) -> int | None:
        current = self.executor.current
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
        if self.tracking.uri and (artifact is not None or given is not None):
            # Imported for the first of them only: it would make every start slower.
            from .model_files import named_files, store

            own = {} if artifact is None else named_files(model["artifact"])
            model["logged_model"] = store(self.tracking.uri, model["name"], {**own, **named_files(given)})
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
        current = self.executor.current
        for state in [current] if current is not None else list(self.executor.scheduler.open.values()):
            state.secretive = True

    def read_secret(self, key: str) -> str:
        answer = self.ask({"kind": "secret", "key": str(key)})
        if answer.get("value") is None:
            raise KeyError(answer.get("error") or f"There is no secret {key!r}.")
        return self.hidden(answer)

    def refuse_in_calls(self) -> None:
        if self.is_call:
            raise RuntimeError("Nobody can answer a question in an app. Ask for a field instead.")

    def ask_password(self, prompt: str) -> str:
        self.refuse_in_calls()
        self.note_secret()
        answer = self.ask({"kind": "ask_password", "prompt": str(prompt)[:1_000], "node": self.node()})
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
        answer = self.ask(question)
        if answer.get("value") is None:
            raise EOFError(answer.get("error") or "Nobody answered.")
        return str(answer["value"])

    def file(self, wanted: UploadedFile) -> str:
        """Written with node code's own rights: nothing outside the sandbox may write where node code may put a link."""
        folder = Path("files") / wanted.file
        known = next(iter(folder.glob("*")), None) if folder.is_dir() else None
        if known is not None:
            return str(known.resolve())
        answer = self.ask({"kind": "file", "file": wanted.file})
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
        current = self.executor.current
        folder = current.storage if current else None
        if current is not None and isinstance(folder, dict):
            assert self.buckets is not None
            return self.buckets.folder_of(current)
        path = Path(str(folder or os.environ.get("MIRANDA_STORAGE") or "storage"))
        path.mkdir(parents=True, exist_ok=True)
        return path

    def ask_patiently(self, event: dict[str, Any]) -> dict[str, Any]:
        """For what no node waits for: an interrupt does not end it."""
        return self.ask(event, self.lasting_questions)

    def ask(self, event: dict[str, Any], questions: Questions | None = None) -> dict[str, Any]:
        with self.lock:
            self.question += 1
            question = self.question
        answered: tuple[threading.Event, dict[str, Any]] = (threading.Event(), {})
        if questions is None:
            self.questions[question] = answered
            self.streams.flush()
        else:
            questions[question] = answered
        self.channel.event({**event, "question": question})
        answered[0].wait()
        if answered[1].get("given_up"):
            raise Interrupted("interrupt")
        return answered[1]

    def give_up(self) -> None:
        """An interrupt: ends the wait for every answer."""
        for question in list(self.questions):
            waiting = self.questions.pop(question, None)
            if waiting is not None:
                waiting[1]["given_up"] = True
                waiting[0].set()
                self.channel.event({"kind": "withdraw", "question": question})

    def answer(self, command: dict[str, Any]) -> None:
        number = command["question"]
        waiting = self.questions.pop(number, None) or self.lasting_questions.pop(number, None)
        if waiting is not None:
            waiting[1].update(command)
            waiting[0].set()


def hardware() -> list[str]:
    return ["CPU", "GPU"] if os.path.exists("/dev/nvidia0") else ["CPU"]
