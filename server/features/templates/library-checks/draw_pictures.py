"""
Writes what the example of every node shows or sends into a folder: a PNG, an SVG, a table or a text as JSON.
`scripts/library-pictures.ts` makes small pictures of these.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import sys
import tempfile
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
target = pathlib.Path(sys.argv[1]).resolve()
os.chdir(tempfile.mkdtemp())

from bench import Result, run_node  # noqa: E402
from cases import CASES, STORAGE  # noqa: E402

import model_cases  # noqa: E402, F401
import plain_cases  # noqa: E402
import source_cases  # noqa: E402, F401
import table_cases  # noqa: E402, F401

TABLE = "application/vnd.miranda.table+json"


def write(key: str, result: Result, inputs: dict[str, Any]) -> None:
    bundles = sorted(result.shown, key=lambda bundle: "image/png" not in bundle)
    for bundle in bundles:
        if "image/png" in bundle:
            (target / f"{key}.png").write_bytes(base64.b64decode(bundle["image/png"]))
            return
        if "image/svg+xml" in bundle:
            (target / f"{key}.svg").write_text(bundle["image/svg+xml"])
            return
    values = [value for sent in result.sent.values() for value in sent]
    images = [value for value in values if isinstance(value, list) and value and hasattr(value[0], "save")]
    if images:
        sheet = run_node("show-images", {"images": images[0]}, {"columns": 4, "side": 96, "most": 12}, STORAGE)
        write(key, sheet, {})
        return
    models = [value for value in values if hasattr(value, "target_name")]
    if models:
        evaluation = "confusion-matrix" if hasattr(models[0], "classes_") else "residual-plot"
        write(key, run_node(evaluation, {"model": models[0], "table": inputs["table"]}, {}, STORAGE), {})
        return
    (target / f"{key}.json").write_text(json.dumps(described(bundles, values), default=str))


def described(bundles: list[dict[str, Any]], values: list[Any]) -> dict[str, Any]:
    from miranda.output.tables import table_of

    tables = [bundle[TABLE] for bundle in bundles if TABLE in bundle]
    tables += [table for table in map(table_of, values) if table is not None]
    if tables:
        table = tables[0]
        return {
            "columns": [one["name"] for one in table["columns"]],
            "rows": table["rows"][:6],
            "total": table["total"],
        }
    first = bundles[0].get("application/json", bundles[0]["text/plain"]) if bundles else values[0]
    text = first if isinstance(first, str) else json.dumps(first, indent=1, default=str)
    return {"text": text.replace(f"{STORAGE}/", "")}


plain_cases.draw()
for key, (inputs, values, _) in CASES.items():
    received = inputs()
    write(key, run_node(key, received, values, STORAGE), received)
