"""The graph of a folder, in the form that a worker reads. It refuses a folder that the server would refuse."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from miranda.declare import declare
from miranda.version import VERSION
from miranda_agent.message_checks import is_object

from .failures import USAGE, Failure
from .folder import PATHS, TOML, Files, Folder
from .implied_edges import Edge, Place, implied_edges

CODE, STORAGE, NOTE = "Code_block", "storage_policy", "note"
FORMAT = 1
#: As on a server without settings of its own.
MOST_BUCKET_FILES = 100_000
POLICY_FIELDS = {"compute_policy": "compute", "storage_policy": "storage"}


class LocalGraph:
    """A node's number is its place in `workflow.toml`, from 1."""

    def __init__(self, folder: Folder, storage: Path) -> None:
        self.toml = folder.toml
        self.files: Files = folder.files()
        self.storage = storage
        #: The content of uploaded files, by hash.
        self.uploads: dict[str, bytes] = {}
        check(self.toml, self.files)
        self.nodes: dict[str, dict[str, Any]] = dict(self.toml.get("nodes", {}))
        self.keys = dict(enumerate(self.nodes, 1))
        self.numbers = {key: number for number, key in self.keys.items()}

    def for_worker(self) -> dict[str, Any]:
        places = [self.place_of(number, key) for number, key in self.keys.items()]
        drawn = self.drawn_edges()
        edges = [*drawn, *implied_edges(places, drawn)]
        is_code = {place.number: place.is_code for place in places}
        return {
            "nodes": [self.node(number, edges) for number in self.keys if is_code[number]],
            "edges": [
                {"source": source, "transmitter": transmitter, "target": target, "receiver": receiver}
                for source, transmitter, target, receiver in edges
                if is_code[source] and is_code[target]
            ],
        }

    def place_of(self, number: int, key: str) -> Place:
        kind = class_of(self.nodes[key])
        if kind == NOTE:
            return Place(number, False, [])
        if kind != CODE:
            return Place(number, False, [(POLICY_FIELDS[kind], kind, "TRANSMITTER_FIELD")])
        declared = declare(self.source(key))["attributes"]
        attributes = [(one["name"], str(one["kind"]).lower(), one["direction"]) for one in declared]
        own = [one for one in attributes if one[0] not in POLICY_FIELDS.values()]
        return Place(number, True, [*own, *((name, kind, "RECEIVER_FIELD") for kind, name in POLICY_FIELDS.items())])

    def source(self, key: str) -> str:
        try:
            return self.files[f"nodes/{key}.py"].decode("utf-8")
        except UnicodeDecodeError:
            raise Failure(f"The file nodes/{key}.py is not UTF-8 text.", USAGE) from None

    def drawn_edges(self) -> list[Edge]:
        found: list[Edge] = []
        for edge in self.toml.get("graph", {}).get("edges", []):
            source, _, transmitter = str(edge["from"]).partition(".")
            target, _, receiver = str(edge["to"]).partition(".")
            found.append((self.numbers[source], transmitter, self.numbers[target], receiver))
        return found

    def node(self, number: int, edges: list[Edge]) -> dict[str, Any]:
        key = self.keys[number]
        given = dict(self.toml.get("values", {}).get(key, {}))
        return {
            "id": number,
            "name": self.nodes[key].get("name", key),
            "source_code": self.source(key),
            "values": {name: self.value(value, f"values.{key}.{name}") for name, value in given.items()},
            "disabled": bool(self.nodes[key].get("disabled")),
            "storage": self.storage_of(number, edges),
        }

    def value(self, given: Any, where: str) -> Any:
        if is_object(given) and set(given) == {"json"}:
            return json.loads(given["json"])
        if is_object(given) and "file" in given:
            data = self.files[given["file"]]
            file = hashlib.sha256(data).hexdigest()
            self.uploads[file] = data
            name = given.get("name") or str(given["file"]).rpartition("/")[2]
            return {"file": file, "name": name, "size": len(data), "type": given.get("type", "")}
        try:
            json.dumps(given, allow_nan=False)
        except (TypeError, ValueError):
            raise Failure(f"{TOML}, {where}: Write this value as text, in quotes.", USAGE) from None
        return given

    def storage_of(self, number: int, edges: list[Edge]) -> str | dict[str, Any] | None:
        """Of several storage policies the nearest counts, as on the server."""
        for source, _, target, receiver in edges:
            if target == number and receiver == "storage" and class_of(self.nodes[self.keys[source]]) == STORAGE:
                settings = dict(self.toml.get("settings", {}).get(self.keys[source], {}))
                if settings.pop("type", "volume") == "s3":
                    return {**settings, "most_files": MOST_BUCKET_FILES}
                name = re.sub(r"[^\w-]", "_", str(settings.get("name") or "data"))
                return str(self.storage / name)
        return None


def class_of(node: dict[str, Any]) -> str:
    return str(node.get("class", CODE))


def check(toml: dict[str, Any], files: Files) -> None:
    """What the server would refuse. A run must not begin with half a workflow."""
    if toml.get("format") != FORMAT:
        raise Failure(f"{TOML}: format must be {FORMAT}. A newer miranda may be able to read it.", USAGE)
    nodes: dict[str, dict[str, Any]] = dict(toml.get("nodes", {}))
    check_sdk(str(toml.get("sdk", VERSION)), "This workflow")
    names: dict[str, str] = {}
    for key, node in nodes.items():
        if not PATHS.match(f"nodes/{key}.py") or "." in key:
            raise Failure(f"{TOML}, nodes.{key}: A node's name in this file must be a file name without dots.", USAGE)
        if node.get("sdk"):
            check_sdk(str(node["sdk"]), f"The node {key}")
        if class_of(node) not in (CODE, NOTE, *POLICY_FIELDS):
            raise Failure(f"{TOML}, nodes.{key}: There is no such class of node.", USAGE)
        if key.lower() in names:
            raise Failure(f"{TOML}: The nodes {names[key.lower()]} and {key} have the same name.", USAGE)
        names[key.lower()] = key
        if class_of(node) == CODE and f"nodes/{key}.py" not in files:
            raise Failure(f"The file nodes/{key}.py is missing.", USAGE)
    for name in files:
        key = name.removeprefix("nodes/").removesuffix(".py")
        if name.startswith("nodes/") and key not in nodes:
            words = f"The file {name} belongs to no node. Add [nodes.{key}] to {TOML}, or remove the file."
            raise Failure(words, USAGE)
    for edge in toml.get("graph", {}).get("edges", []):
        check_edge(edge, nodes)


def check_edge(edge: dict[str, Any], nodes: dict[str, Any]) -> None:
    ends = str(edge.get("from", "")), str(edge.get("to", ""))
    for end in ends:
        key, dot, attribute = end.partition(".")
        if not dot or not key or not attribute:
            raise Failure(f"{TOML}: The end {end} of an edge is not written as node.attribute.", USAGE)
        if key not in nodes:
            raise Failure(f"{TOML}: The edge {ends[0]} → {ends[1]} leads to nowhere: there is no node {key}.", USAGE)


def check_sdk(sdk: str, what: str) -> None:
    """A folder of an older version can always be run."""
    found = re.match(r"(\d{1,6})\.(\d{1,6})(?:\.[\w.+-]*)?\Z", sdk)
    if not found:
        raise Failure(f"{TOML}: {sdk} is not a version of the SDK.", USAGE)
    own = [int(part) for part in VERSION.split(".")[:2]]
    if [int(found[1]), int(found[2])] > own:
        raise Failure(f"{what} needs version {sdk} of the SDK. This is {VERSION}: install a newer miranda.", USAGE)
