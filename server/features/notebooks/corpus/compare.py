"""
Runs notebooks by `jupyter nbconvert --execute` and scripts by `python file.py`, then imports each as one node and runs
that in a worker, and prints where the two differ, as one line of JSON for each file. `python compare.py FILE…`
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

RUNTIME = pathlib.Path(__file__).resolve().parents[4] / "runtime"
sys.path.insert(0, str(RUNTIME))

from miranda_agent.frames import EVENT, STDERR, STDOUT, read_frames  # noqa: E402
from miranda_agent.worker_process import BOOTSTRAP  # noqa: E402
from miranda_notebooks.main import split  # noqa: E402

SECONDS = 120
RUN = 1


@dataclass
class Seen:
    """What somebody sees of a run."""

    printed: str = ""
    #: The text of each value and picture that is shown, and a hash of the picture.
    shown: list[list[str]] = field(default_factory=list[list[str]])
    #: The name of the exception that ended it.
    error: str = ""
    told: str = ""


def environment(folder: str) -> dict[str, str]:
    kept = ("PATH", "LANG", "LC_ALL", "PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    given = {name: os.environ[name] for name in kept if name in os.environ}
    # Threads of numeric libraries add numbers in another order each time.
    return {**given, "HOME": folder, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


#: What `jupyter nbconvert --execute` runs. The command itself throws away what a notebook showed before an error.
EXECUTE = """
import json, sys, nbformat
from nbclient.exceptions import CellExecutionError
from nbconvert.preprocessors import ExecutePreprocessor
path, folder, seconds = sys.argv[1:]
book, error = nbformat.read(path, as_version=4), ["", ""]
for cell in book["cells"]:
    # What its author saw is not what is compared.
    cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
try:
    ExecutePreprocessor(timeout=int(seconds), kernel_name="python3").preprocess(book, {"metadata": {"path": folder}})
except CellExecutionError as found:
    error = [found.ename, found.evalue]
json.dump({"cells": book["cells"], "error": error}, sys.stdout)
"""


def as_notebook(path: pathlib.Path, folder: str) -> Seen:
    ran = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(pathlib.Path(folder) / path.name), folder, str(SECONDS)],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if ran.returncode != 0:
        return Seen(error="nbconvert", told=ran.stderr[-2_000:])
    seen = Seen()
    answer = json.loads(ran.stdout)
    seen.error, seen.told = answer["error"]
    for cell in answer["cells"]:
        for output in cell.get("outputs", []):
            if output["output_type"] == "stream" and output["name"] == "stdout":
                seen.printed += "".join(output["text"])
            elif output["output_type"] in ("display_data", "execute_result"):
                seen.shown.append(shown(output["data"]))
    return seen


def as_program(path: pathlib.Path, folder: str) -> Seen:
    ran = subprocess.run(
        [sys.executable, path.name],
        cwd=folder,
        env={**environment(folder), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    seen = Seen(printed=ran.stdout)
    if ran.returncode != 0:
        last = ran.stderr.rstrip().rpartition("\n")[2]
        name = last.partition(":")[0].rpartition(".")[2]
        seen.error, seen.told = name if "Traceback" in ran.stderr else "SystemExit", last
    return seen


def shown(data: dict[str, Any]) -> list[str]:
    text = data.get("text/plain", "")
    picture = data.get("image/png", "")
    if isinstance(picture, list):
        picture = "".join(picture)
    digest = hashlib.sha256("".join(picture.split()).encode()).hexdigest()[:16] if picture else ""
    return ["".join(text) if isinstance(text, list) else str(text), digest]


def as_node(path: pathlib.Path, folder: str) -> Seen:
    """Imported as one node, and run by the worker."""
    text = path.read_text(encoding="utf-8")
    given = {"name": path.name, "cells": cells_of(text)} if path.suffix == ".ipynb" else {"name": path.name, "text": text}
    answer = split(given)
    if answer.cells == 0:
        # The product refuses a notebook without code.
        return Seen()
    if len(answer.nodes) != 1:
        return Seen(error="not imported", told=str(answer.remarks))
    # The environment of this process has the packages already.
    source = re.sub(r"\A# /// script\n(#.*\n)*?# ///\n", "", answer.nodes[0]["source_code"])
    graph = {"nodes": [{"id": 1, "name": "Node", "source_code": source, "values": {}}], "edges": []}
    return run_worker(graph, folder)


def cells_of(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for cell in json.loads(text)["cells"]:
        kind = cell["cell_type"] if cell["cell_type"] in ("code", "markdown") else "raw"
        fails = "raises-exception" in cell.get("metadata", {}).get("tags", [])
        found.append({"kind": kind, "source": "".join(cell.get("source", "")), "fails": fails})
    return found


def run_worker(graph: dict[str, Any], folder: str) -> Seen:
    orders, commands = os.pipe()
    channel, frames = os.pipe()
    script = BOOTSTRAP.format(folder=folder, runtime=str(RUNTIME))

    def place() -> None:
        # The worker finds its commands at 3 and its channel at 4.
        first, second = os.dup(orders), os.dup(frames)
        os.dup2(first, 3)
        os.dup2(second, 4)

    worker = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**environment(folder), "MIRANDA_STORAGE": folder},
        preexec_fn=place,
        close_fds=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(orders)
    os.close(frames)
    timer = threading.Timer(SECONDS, worker.kill)
    timer.start()
    # What child processes print goes past the channel.
    direct: list[bytes] = []
    reader = threading.Thread(target=lambda: direct.append(worker.stdout.read() if worker.stdout else b""))
    reader.start()
    command = {"command": "run", "number": RUN, "run": 1, "graph": graph, "mode": "changed"}
    os.write(commands, json.dumps(command).encode() + b"\n")
    seen = Seen(error="the worker ended")
    printed: list[bytes] = []
    errors: list[bytes] = []
    error = ""
    for kind, body in read_frames(channel):
        if kind == STDOUT:
            printed.append(body)
        elif kind == STDERR:
            errors.append(body)
        elif kind == EVENT:
            event = json.loads(body)
            if event["kind"] == "output":
                seen.shown.append(shown(event["data"]))
            elif event["kind"] == "exception":
                error, seen.told = event["traceback"].rstrip(), event["traceback"]
            elif event["kind"] == "done" and event.get("command") == "run":
                seen.error = str(event.get("error") or "") or name_of(error)
                break
    timer.cancel()
    os.close(commands)
    worker.kill()
    worker.wait()
    reader.join()
    os.close(channel)
    seen.printed = b"".join([*printed, *direct]).decode("utf-8", "replace")
    return seen


def name_of(traceback: str) -> str:
    """The exception of a traceback, below which there may be notes."""
    lines = [line for line in traceback.split("\n") if re.match(r"[A-Za-z_][\w.]*(:|$)", line)]
    names = [line.partition(":")[0].rpartition(".")[2] for line in lines if not line.startswith("Traceback")]
    return names[-1] if names else ""


def plain(text: str) -> str:
    """Without what differs between two runs of one program: addresses, times, folders, colours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x", text)
    text = re.sub(r"/[\w./-]*/(?=[\w-]+\.\w+|$)|/tmp/[\w./-]+", "", text)
    text = re.sub(r"\d+(\.\d+)?(e-\d+)? ?(ns|μs|µs|us|ms|min|sec|seconds?|s)\b", "TIME", text)
    return text.rstrip()


def differences(expected: Seen, got: Seen, is_script: bool) -> list[str]:
    found: list[str] = []
    # Jupyter has no name for the error of a value that cannot be shown.
    if expected.error != got.error and not (expected.error == "NoneType" and got.error):
        found.append(f"ended: {expected.error or 'well'} | {got.error or 'well'}: {(got.told or expected.told)[-600:]}")
    if plain(expected.printed) != plain(got.printed):
        found.append(f"printed: {first_difference(plain(expected.printed), plain(got.printed))}")
    if is_script:
        return found
    one = [(plain(text), picture) for text, picture in expected.shown]
    other = [(plain(text), picture) for text, picture in got.shown]
    if one != other:
        at = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
        what = f"{len(one)} | {len(other)}" if at is None else f"{at + 1}: {one[at]!r:.300} | {other[at]!r:.300}"
        found.append(f"shown: {what}")
    return found


def first_difference(one: str, other: str) -> str:
    for left, right in zip([*one.split("\n"), ""], [*other.split("\n"), ""], strict=False):
        if left != right:
            return f"{left!r:.200} | {right!r:.200}"
    return f"{len(one)} | {len(other)} characters"


def language_of(path: pathlib.Path) -> str:
    metadata = json.loads(path.read_text(encoding="utf-8")).get("metadata", {}) if path.suffix == ".ipynb" else {}
    named = metadata.get("language_info", {}).get("name") or metadata.get("kernelspec", {}).get("language")
    return str(named or "python").lower()


def compare(path: pathlib.Path) -> dict[str, Any]:
    is_script = path.suffix == ".py"
    if not is_script and '"cells"' not in path.read_text(encoding="utf-8", errors="replace"):
        return {"file": str(path), "differences": [], "left_out": "format 3 or no notebook"}
    if language_of(path) not in ("python", "ipython"):
        # The product refuses it by name: see read-notebook.ts.
        return {"file": str(path), "differences": [], "left_out": language_of(path)}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        shutil.copytree(path.parent, one, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "*.md"))
        shutil.copytree(path.parent, other, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "*.md", path.name))
        try:
            expected = as_program(path, one) if is_script else as_notebook(path, one)
            got = as_node(path, other)
        except subprocess.TimeoutExpired:
            return {"file": str(path), "differences": ["too slow"], "lines": 0, "shown": 0, "error": ""}
    return {
        "file": str(path),
        "differences": differences(expected, got, is_script),
        "lines": expected.printed.count("\n"),
        "shown": len(got.shown),
        "error": expected.error,
        **({"expected": asdict(expected), "got": asdict(got)} if "--all" in sys.argv else {}),
    }


if __name__ == "__main__":
    for file in sys.argv[1:]:
        if not file.startswith("--"):
            print(json.dumps(compare(pathlib.Path(file).resolve())), flush=True)
