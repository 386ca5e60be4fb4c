"""
Runs a notebook twice: as nodes, by the runtime's own executor, and cell by cell. It reads both as JSON from the standard
input, and prints what they printed and showed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "templates" / "library-checks"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["MPLBACKEND"] = "agg"

from bench import run_graph  # noqa: E402

given = json.load(sys.stdin)
nodes = [{"id": int(one["key"]) + 1, "name": one["name"], "source_code": one["source_code"], "values": {}}
         for one in given["nodes"]]  # fmt: skip
edges = [
    {
        "source": int(one["source_wob_key"]) + 1,
        "transmitter": one["source_transmitter_key"],
        "target": int(one["destination_wob_key"]) + 1,
        "receiver": one["destination_receiver_key"],
    }
    for one in given["edges"]
]

printed = io.StringIO()
with contextlib.redirect_stdout(printed), tempfile.TemporaryDirectory() as folder:
    results = run_graph(nodes, edges, pathlib.Path(folder))
shown = sorted({mime for one in results.values() for bundle in one.shown for mime in bundle})

expected = io.StringIO()
names: dict[str, Any] = {}
with contextlib.redirect_stdout(expected):
    for cell in given["cells"]:
        exec("\n".join(line for line in cell.split("\n") if not line.startswith("%")), names)

print(json.dumps({"printed": printed.getvalue(), "expected": expected.getvalue(), "shown": shown}))
