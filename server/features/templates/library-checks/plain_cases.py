"""Examples of the nodes that need no packages, for their pictures. `check_plain.py` tests what they do."""

from __future__ import annotations

import pathlib
from typing import Any

from bench import run_node
from cases import STORAGE, case
from source_cases import ADDRESS

FLOWERS = """length,width,label
1.4,0.2,setosa
1.3,0.2,setosa
4.7,1.4,versicolor
4.5,1.5,versicolor
6.0,2.5,virginica
5.1,1.9,virginica
"""
SALES = [
    {"name": "tea", "value": 12, "month": 1},
    {"name": "coffee", "value": 31, "month": 2},
    {"name": "honey", "value": 18, "month": 3},
    {"name": "bread", "value": 25, "month": 4},
]
LINE = [{"x": x, "y": 2 * x + 1 + (-1) ** x} for x in range(12)]
WORDS = "the tide rises the tide falls the twilight darkens the curlew calls".split()


def rows_of(text: str) -> Any:
    return run_node("load-csv", {}, {"text": text}, STORAGE)["rows"]


def flowers() -> dict[str, Any]:
    return {"rows": rows_of(FLOWERS)}


def guessed(key: str, rows: Any) -> Any:
    model = run_node(key, {"rows": rows}, {}, STORAGE)["model"]
    return run_node("predict", {"rows": rows, "model": model}, {}, STORAGE)["predicted"]


def sales() -> dict[str, Any]:
    return {"rows": SALES}


def line() -> dict[str, Any]:
    return {"rows": LINE}


def draw() -> None:
    pathlib.Path(STORAGE, "notes.txt").write_text("high tide 6:40\nlow tide 12:55\n")
    case("load-csv", text=FLOWERS)
    case("load-json", text='{"city": "Oslo", "people": 709}')
    case("http-fetch", url=f"{ADDRESS}/cities.csv")
    case("read-file", path="notes.txt")
    case("write-file", lambda: {"value": {"city": "Oslo"}}, path="deep/city.json")
    case("filter-rows", sales, test=">", value="15")
    case("map-column", sales, expression="value * 2", into="double")
    case("select-columns", sales, columns=["name", ["value", "amount"]])
    case("sort-rows", sales, descending=True)
    case("fill-missing", lambda: {"rows": [{"value": 1}, {"value": None}, {"value": 3}]})
    case("join-tables", lambda: {"left": [{"id": 1, "a": 5}], "right": [{"id": 1, "b": 6}]})
    case("group-aggregate", sales)
    case("split-train-test", line)
    case("linear-regression", line)
    case("logistic-regression", flowers)
    case("decision-tree", flowers)
    case("k-means", flowers)
    case("predict", lambda: {"rows": LINE, "model": run_node("linear-regression", line(), {}, STORAGE)["model"]})
    case("classification-metrics", lambda: {"rows": guessed("decision-tree", rows_of(FLOWERS))})
    case("regression-metrics", lambda: {"rows": guessed("linear-regression", LINE)})
    case("log-model", lambda: {"model": {"type": "line"}, "metrics": {"loss": 0.5}}, name="Line")
    case("tokenise-text", text="The tide rises, the tide falls.")
    case("count-words", lambda: {"words": WORDS})
    case("show-table", sales)
    case("bar-chart", sales)
    case("line-chart", line)
    case("histogram", sales, bins=4)
    case("random-numbers")
    case("basin-readings")
    case("delay", lambda: {"value": "tide"}, seconds=0.01)
    case("log-value", lambda: {"value": [1, 2, 3]})
    case("collect", lambda: {"value": 7}, size=1)
