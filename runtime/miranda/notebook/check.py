"""
Compares a run as one node with a run as several: what each cell prints and shows. The editor asks for it before it
splits a node. Each node runs in a process of its own, so that nothing passes between them but what they send.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from typing import Any

MOST_WORDS = 300
MOST_DIFFERENCES = 20
CHILD = "import sys; sys.path[:] = {path!r}; from miranda.notebook.check import child; child({folder!r})"
#: What differs between two runs of one program.
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")

Cells = dict[str, dict[str, Any]]


def check_split(whole: str, parts: list[str], edges: list[dict[str, Any]]) -> dict[str, Any]:
    """
    `whole` is the code of the one node, `parts` that of the several, in the order of the notebook. Each edge has the
    place of its `source` and its `target` in the list, and their `transmitter` and `receiver`.
    """
    expected = run_node(whole, {})
    if expected["error"]:
        return {"same": False, "problem": f"As one node it ends with: {last_line(expected['error'])}", "cells": []}
    results: dict[int, dict[str, Any]] = {}
    waiting = list(range(len(parts)))
    while waiting:
        # The last that can run goes first: what only works in the order of the notebook shows.
        at = max(one for one in waiting if all(edge["source"] in results for edge in edges if edge["target"] == one))
        given = {
            edge["receiver"]: results[edge["source"]]["sent"][edge["transmitter"]]
            for edge in edges
            if edge["target"] == at
        }
        results[at] = run_node(parts[at], given)
        waiting.remove(at)
        if results[at]["error"]:
            words = last_line(results[at]["error"])
            cells = list(results[at]["cells"])[-1:]
            return {"same": False, "problem": f"Split, it ends with: {words}", "cells": cells}
    return compared(expected["cells"], [results[at]["cells"] for at in range(len(parts))])


def compared(expected: Cells, parts: list[Cells]) -> dict[str, Any]:
    got: Cells = {}
    for part in parts:
        for name, cell in part.items():
            # Parts of a script have no cells: together they are one text.
            own = got.setdefault(name, {"printed": "", "shown": []})
            own["printed"] += cell["printed"]
            own["shown"] += cell["shown"]
    different = [name for name in {**expected, **got} if plain(expected.get(name)) != plain(got.get(name))]
    different.sort(key=lambda name: int(name.rpartition(" ")[2]) if name else 0)
    return {
        "same": not different,
        "problem": "",
        "cells": different[:MOST_DIFFERENCES],
        "lines": sum(cell["printed"].count("\n") for cell in expected.values()),
        "shown": sum(len(cell["shown"]) for cell in expected.values()),
    }


def plain(cell: dict[str, Any] | None) -> str:
    return ADDRESS.sub("0x", json.dumps(cell or {"printed": "", "shown": []}))


def last_line(traceback: str) -> str:
    lines = [line for line in traceback.strip().split("\n") if line.strip()]
    return " ".join(lines[-2:])[-MOST_WORDS:]


def run_node(source: str, given: dict[str, bytes]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="miranda-check-") as folder:
        with open(os.path.join(folder, "given"), "wb") as file:
            pickle.dump((source, given), file)
        script = CHILD.format(path=sys.path, folder=folder)
        with open(os.path.join(folder, "printed"), "wb") as printed:
            subprocess.run(
                [sys.executable, "-c", script], stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, check=False
            )
        try:
            with open(os.path.join(folder, "result"), "rb") as file:
                return pickle.load(file)
        except OSError:
            with open(os.path.join(folder, "printed"), encoding="utf-8", errors="replace") as file:
                return {"error": file.read() or "the process ended", "cells": {}, "sent": {}}


class Recorder:
    """Stands for the platform, and keeps what each cell prints and shows."""

    def __init__(self) -> None:
        self.cells: Cells = {}
        self.begin("")

    def begin(self, name: str) -> None:
        # Its number is enough: a title may come with it.
        found = re.match(r"Cell \d+", name)
        self.now = self.cells.setdefault(found[0] if found else name, {"printed": "", "shown": []})

    def show(self, bundle: dict[str, Any], *_: Any, **__: Any) -> None:
        text = json.dumps(bundle, sort_keys=True, default=str)
        self.now["shown"].append(hashlib.sha256(ADDRESS.sub("0x", text).encode()).hexdigest())

    def __getattr__(self, name: str) -> Any:
        """Everything else that the platform offers does nothing here."""
        return nothing


def nothing(*_: Any, **__: Any) -> None: ...


class Printed(io.TextIOBase):
    """Stands for the standard output."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.recorder.now["printed"] += text
        return len(text)


def child(folder: str) -> None:
    """One node, in this process."""
    import traceback

    from .. import services
    from . import run

    with open(os.path.join(folder, "given"), "rb") as file:
        source, given = pickle.load(file)
    recorder = Recorder()
    platform: Any = recorder
    services.set_host(platform)
    run.on_cell = recorder.begin
    sys.stdout, own = Printed(recorder), sys.stdout
    error = ""
    sent: dict[str, bytes] = {}
    try:
        sent = run_source(source, {name: pickle.loads(value) for name, value in given.items()})
    except BaseException:
        error = traceback.format_exc()
    sys.stdout = own
    with open(os.path.join(folder, "result.new"), "wb") as file:
        cells = {name: cell for name, cell in recorder.cells.items() if cell["printed"] or cell["shown"] or error}
        pickle.dump({"error": error, "cells": cells, "sent": sent}, file)
    os.replace(os.path.join(folder, "result.new"), os.path.join(folder, "result"))


def run_source(source: str, given: dict[str, Any]) -> dict[str, bytes]:
    """Runs the class of a node, and returns what it sends."""
    from ..execution.loader import load

    loaded = load(None, "check", source)
    node = loaded.node_class()
    for name, value in given.items():
        setattr(node, name, value)
    node.run()
    return {name: pickle.dumps(getattr(node, name).sent[-1]) for name in loaded.transmitters}
