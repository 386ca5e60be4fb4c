"""The services that node code can use, on the platform or on a laptop."""

from __future__ import annotations

from typing import Any, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from .files import OutputFile, UploadedFile


LONGEST_ID = 200
#: `runMax` of contract/protocol/worker.ts has the same.
LONGEST_METRIC_NAME = 200
#: Larger steps could not be told apart.
LARGEST_STEP = 2**53


class StorageError(RuntimeError):
    """The storage policy's bucket cannot be reached, or a file could not be fetched from it or stored in it."""

    __module__ = "miranda"


class Host(Protocol):
    def show(
        self,
        bundle: dict[str, Any],
        metadata: dict[str, Any],
        id: str | None = None,
        file: OutputFile | None = None,
    ) -> None: ...
    def progress(self, done: float, total: float | None, label: str) -> None: ...
    def log_metric(self, name: str, value: float, step: float | None) -> None: ...
    def log_model(self, model: dict[str, Any]) -> None: ...
    def secret(self, key: str) -> str: ...
    def ask_password(self, prompt: str) -> str: ...
    def storage(self) -> Path: ...
    def file(self, wanted: UploadedFile) -> str: ...


class Laptop:
    """A node outside the platform: outputs are printed, secrets come from the environment or the keyboard."""

    def show(
        self,
        bundle: dict[str, Any],
        metadata: dict[str, Any],
        id: str | None = None,
        file: OutputFile | None = None,
    ) -> None:
        print(bundle.get("text/plain", ""))

    def progress(self, done: float, total: float | None, label: str) -> None:
        import sys

        print(f"\r{label} {done}{'' if total is None else f'/{total}'}".replace("\r ", "\r"), end="", file=sys.stderr)

    def log_metric(self, name: str, value: float, step: float | None) -> None:
        print(f"{name} {value:g}" if step is None else f"{name} {value:g} at step {step:g}")

    def log_model(self, model: dict[str, Any]) -> None:
        print(f"model {model['name']}: {model['metrics']}")

    def secret(self, key: str) -> str:
        import os

        name = "MIRANDA_SECRET_" + "".join(c if c.isalnum() else "_" for c in key).upper()
        if name not in os.environ:
            raise KeyError(f"There is no secret {key!r}. Outside the platform, set {name}.")
        return os.environ[name]

    def ask_password(self, prompt: str) -> str:
        import getpass

        return getpass.getpass(prompt + " ")

    def storage(self) -> Path:
        from pathlib import Path

        folder = Path("miranda-storage")
        folder.mkdir(exist_ok=True)
        return folder

    def file(self, wanted: UploadedFile) -> str:
        raise FileNotFoundError(f"{wanted.name} is on the platform. Outside it, set the field to a path.")


host: Host = Laptop()


def set_host(new: Host) -> None:
    global host  # noqa: PLW0603 (one host per process)
    host = new


def show(value: Any, *, id: str | None = None, **metadata: Any) -> None:
    """
    Shows a value at the running node, by the Jupyter display protocol: frames and lists of dicts as tables, figures as
    pictures, texts as texts.

    `value`: A table, a figure, a picture, HTML, an `OutputFile`, or anything else that Jupyter could display.
    `id`: An output with an id replaces the one that the node has shown under that id in this run.
    `metadata`: Kept with the output, as in Jupyter.
    """
    from .files import OutputFile
    from .output.display import mime_bundle

    if id is not None and (not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID):
        raise ValueError(f"The id of an output is a text of 1 to {LONGEST_ID} characters.")
    bundle, own = mime_bundle(value)
    host.show(bundle, {**own, **metadata}, id, value if isinstance(value, OutputFile) else None)


def progress(done: float, total: float | None = None, label: str = "") -> None:
    """
    Shows how far the running node has come, as a bar.

    `done`: How much is done.
    `total`: How much there is to do. Without it, the bar only shows what is done.
    `label`: The name of the bar. Bars with other labels are other bars.
    """
    host.progress(done, total, str(label))


def log(message: object, *args: object) -> None:
    """
    Writes a line of the level Info.

    `message`: The line, or a format such as "epoch %d".
    `args`: What the format needs.
    """
    import logging

    logging.getLogger("miranda").info(message, *args)


def log_metric(name: str, value: Any, step: float | None = None) -> None:
    """
    Adds a point to a line of the running node, which people see while it runs and afterwards.

    `name`: The name of the line, of 1 to 200 characters.
    `value`: A number, or whatever `float` makes one of: a value of numpy or torch, for example. NaN and infinities
    become a gap in the line.
    `step`: The place on the axis. Without it, the points of a line are counted from 0.
    """
    if not isinstance(name, str) or not 0 < len(name.strip()) <= LONGEST_METRIC_NAME:
        raise ValueError(f"The name of a metric is a text of 1 to {LONGEST_METRIC_NAME} characters.")
    host.log_metric(name.strip(), number_of(name, value, "value"), None if step is None else step_of(name, step))


def number_of(name: str, value: Any, what: str) -> float:
    if type(value) is float or type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return float("inf")
    if isinstance(value, (str, bytes)):
        raise TypeError(f"The {what} of the metric {name!r} is a text, not a number.")
    try:
        return float(value)
    except Exception as error:
        kind = type(value).__name__
        raise TypeError(f"The {what} of the metric {name!r} is no number but a {kind}.") from error


def step_of(name: str, step: Any) -> float:
    number = number_of(name, step, "step")
    if not abs(number) <= LARGEST_STEP:
        raise ValueError(f"The step of the metric {name!r} is not finite, or too large.")
    return number


def log_model(
    name: str,
    metrics: dict[str, float] | None = None,
    artifact: Any = None,
    *,
    params: dict[str, Any] | None = None,
    files: Any = None,
    hardware: list[str] | None = None,
    authors: list[str] | None = None,
) -> None:
    """
    Adds a version of the model `name` to the list of models, with the run, the workflow and the node that made it.

    `name`: The name of the model. Training it again adds the next version.
    `metrics`: Numbers. `loss`, `accuracy`, `precision` and `recall` have their own columns.
    `artifact`: The model itself: the path of a file, or bytes.
    `files`: More files that are kept with the version: paths of files and folders, or names with paths or bytes.
    `params`: The settings of the training.
    `hardware`: Tags such as "CPU" and "GPU". Without them, the hardware of the session.
    `authors`: Who made it. Without them, the person who runs the workflow.
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError("A model needs a name.")
    numbers = {}
    for key, value in (metrics or {}).items():
        numbers[str(key)] = float(value)
    host.log_model(
        {
            "name": name.strip()[:200],
            "metrics": numbers,
            "params": {str(key): str(value) for key, value in (params or {}).items()},
            "artifact": artifact,
            "files": files,
            "hardware": [str(tag) for tag in hardware] if hardware else None,
            "authors": [str(author) for author in authors] if authors else None,
        }
    )


def secret(key: str) -> str:
    """
    Reads a secret of the project, or else of the account that started the processor.

    `key`: The name of the secret.
    """
    return host.secret(key)


def ask_password(prompt: str) -> str:
    """
    Asks the people in the workflow for a password and waits for the answer.

    `prompt`: The question.
    """
    return host.ask_password(prompt)


def storage() -> Path:
    """
    The folder that is kept between sessions: the running node's storage policy, else the workflow's own. Of a policy
    with an S3 bucket it is a folder of this session: filled from the bucket when a run first asks for it, written back
    after each node that used it and when the run ends. What cannot be fetched or stored is a `StorageError`.
    """
    return host.storage()
