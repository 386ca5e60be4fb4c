"""
Runs whole blueprints, which it reads as JSON from the standard input, and prints one line of JSON for each: its key,
what is wrong, and the types of what its nodes showed.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import tempfile
import time
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("OMP_NUM_THREADS", "1")

from bench import run_graph  # noqa: E402


def run(blueprint: dict[str, Any], storage: pathlib.Path) -> dict[str, Any]:
    keys = {node["ref"]: at for at, node in enumerate(blueprint["nodes"], 1)}
    nodes = [
        {"id": keys[node["ref"]], "name": node["name"], "source_code": node["source_code"], "values": node["values"]}
        for node in blueprint["nodes"]
    ]
    edges = [
        {
            "source": keys[edge["source"]],
            "transmitter": edge["transmitter"],
            "target": keys[edge["target"]],
            "receiver": edge["receiver"],
        }
        for edge in blueprint["edges"]
    ]
    results = run_graph(nodes, edges, storage)
    shown = sorted({mime for one in results.values() for bundle in one.shown for mime in bundle})
    models = next(iter(results.values())).host.models
    return {"shown": shown, "models": [model["name"] for model in models]}


for blueprint in json.load(sys.stdin):
    began = time.monotonic()
    answer: dict[str, Any] = {"key": blueprint["key"], "problem": ""}
    with tempfile.TemporaryDirectory() as folder:
        try:
            answer |= run(blueprint, pathlib.Path(folder))
        except Exception as error:
            answer["problem"] = f"{type(error).__name__}: {error}"
    print(json.dumps({**answer, "seconds": round(time.monotonic() - began, 2)}), flush=True)
