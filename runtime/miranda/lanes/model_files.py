"""Stores the files of a model that node code logs, as MLflow's client would: they belong to the model's version."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlsplit

#: A path, or the content itself.
Content = Path | bytes
SILENCE = 300.0
UNFIT = '/:.%"'


class Unstored(RuntimeError):
    """A model's file could not be stored."""

    __module__ = "miranda"


def named_files(given: Any) -> dict[str, Content]:
    """By the name that each gets: paths of files and folders, or a dictionary of names with paths or bytes."""
    if given is None:
        return {}
    pairs: list[tuple[str, Any]]
    if isinstance(given, dict):
        pairs = [(str(name), content) for name, content in cast("dict[Any, Any]", given).items()]
    else:
        paths: list[Any] = [given] if isinstance(given, (str, os.PathLike)) else list(given)
        pairs = [(Path(path).name, path) for path in paths]
    found: dict[str, Content] = {}
    for name, content in pairs:
        if isinstance(content, (bytes, bytearray)):
            found[name] = bytes(content)
        else:
            found.update(files_at(name, Path(content)))
    return found


def files_at(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_dir():
        for folder, _, names in os.walk(path):
            for one in sorted(names):
                file = Path(folder, one)
                yield f"{name}/{file.relative_to(path).as_posix()}", file
    elif path.exists():
        yield name, path
    else:
        raise FileNotFoundError(f"There is no file {path}.")


def store(uri: str, name: str, files: dict[str, Content]) -> str:
    """Returns the id under which the files are stored. `uri` is MLflow's tracking server."""
    calls = Calls(uri)
    try:
        run = calls.json("GET", "mlflow/runs/current")["run"]["info"]
        fit = "".join("-" if character in UNFIT or character == "'" else character for character in name)
        body = {"experiment_id": run["experiment_id"], "source_run_id": run["run_id"], "name": fit}
        model = calls.json("POST", "mlflow/logged-models", body)["model"]["info"]
        place = f"mlflow-artifacts/artifacts/{model['experiment_id']}/models/{model['model_id']}/artifacts"
        for path, content in files.items():
            calls.put(f"{place}/{quote(path)}", content)
        body = {"model_id": model["model_id"], "status": "LOGGED_MODEL_READY"}
        calls.json("PATCH", f"mlflow/logged-models/{model['model_id']}", body)
        return model["model_id"]
    except (OSError, HTTPException, ValueError, KeyError) as error:
        raise Unstored(f"The files of the model {name!r} could not be stored: {error}") from error
    finally:
        calls.connection.close()


class Calls:
    def __init__(self, uri: str) -> None:
        parts = urlsplit(uri)
        self.connection = HTTPConnection(parts.hostname or "", parts.port, timeout=SILENCE)
        self.root = f"{parts.path}/api/2.0/"
        self.headers = {"Authorization": f"Bearer {os.environ.get('MLFLOW_TRACKING_TOKEN', '')}"}

    def json(self, method: str, path: str, body: Any = None) -> Any:
        sent = None if body is None else json.dumps(body).encode()
        return json.loads(self.send(method, path, sent, {"Content-Type": "application/json"}))

    def put(self, path: str, content: Content) -> None:
        if isinstance(content, bytes):
            self.send("PUT", path, content)
            return
        with open(content, "rb") as file:
            size = str(os.fstat(file.fileno()).st_size)
            self.send("PUT", path, file, {"Content-Length": size})

    def send(self, method: str, path: str, body: Any, headers: dict[str, str] | None = None) -> bytes:
        self.connection.request(method, self.root + path, body, {**self.headers, **(headers or {})})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise OSError(words_of(text) or f"the server answered {answer.status}")
        return text


def words_of(text: bytes) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return ""
