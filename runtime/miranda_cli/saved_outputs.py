"""The outputs of a run on this machine, as files: `outputs/<node>/<number>.<ending>`."""

from __future__ import annotations

import base64
import binascii
import json
import re
from pathlib import Path
from typing import Any

ENDINGS = {
    "text/plain": "txt",
    "text/html": "html",
    "text/markdown": "md",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/svg+xml": "svg",
    "application/json": "json",
    "application/vnd.miranda.table+json": "table.json",
}
BINARY = ("image/png", "image/jpeg", "image/gif")
OWN = re.compile(r"\d+\.\w+(?:\.json)?\Z")


class SavedOutputs:
    def __init__(self, folder: Path, keys: dict[int, str]) -> None:
        self.folder = folder
        self.keys = keys
        # Remove the outputs of the run before. Otherwise nobody could tell which are new.
        for key in keys.values():
            for path in (folder / key).glob("*"):
                if OWN.match(path.name) and path.is_file():
                    path.unlink()
        (folder / "models.jsonl").unlink(missing_ok=True)

    def save(self, event: dict[str, Any]) -> list[str]:
        """An output with the number of an earlier one takes its place."""
        folder = self.folder / self.keys.get(event["node"] or 0, "workflow")
        folder.mkdir(parents=True, exist_ok=True)
        paths: list[str] = []
        for mime, content in event["data"].items():
            ending = ENDINGS.get(mime) or re.sub(r"\W+", "_", mime.rpartition("/")[2])[:40]
            path = folder / f"{event['number']}.{ending}"
            path.write_bytes(bytes_of(mime, content))
            paths.append(str(path))
        return paths

    def save_model(self, event: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        entry = {"name": event["name"], "metrics": event["metrics"], "node": self.keys.get(event["node"] or 0)}
        with (self.folder / "models.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def bytes_of(mime: str, content: Any) -> bytes:
    if mime in BINARY and isinstance(content, str):
        try:
            return base64.b64decode(content)
        except (binascii.Error, ValueError):
            return content.encode()
    return (content if isinstance(content, str) else json.dumps(content, indent=1)).encode("utf-8", "replace")
