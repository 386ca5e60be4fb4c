"""Runs every node of the library once, outside the platform, and looks at what it sends."""

import importlib.util
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
files = {path.stem: path for path in pathlib.Path(sys.argv[2]).rglob("*.py")}
os.chdir(tempfile.mkdtemp())

from miranda import Node  # noqa: E402
from miranda.services import set_host  # noqa: E402


class Host:
    shown = []
    models = []
    losses = []

    def show(self, bundle, metadata, id=None, file=None):
        self.shown.append(bundle)

    def log_model(self, model):
        self.models.append(model)

    def log_metric(self, name, value, step):
        self.losses.append(value)

    def storage(self):
        return pathlib.Path.cwd()


set_host(Host())
used = set()


def run(key, **given):
    used.add(key)
    spec = importlib.util.spec_from_file_location(key.replace("-", "_"), files[key])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (kind,) = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Node) and value is not Node
    ]
    node = kind()
    node.__dict__.update(given)
    node.run()
    return {name: outlet.sent for name, outlet in vars(node).items() if hasattr(outlet, "sent")}


def one(key, outlet, **given):
    (value,) = run(key, **given)[outlet]
    return value


def same(given, expected):
    assert given == expected, f"{given!r} is not {expected!r}"


rows = one("load-csv", "rows", text="name;value\na;1\nb;2.5\na;x\n", delimiter=";")
same(rows, [{"name": "a", "value": 1}, {"name": "b", "value": 2.5}, {"name": "a", "value": "x"}])
same(one("load-csv", "rows", source="k\n7\n"), [{"k": 7}])
same(one("load-json", "value", text='{"a": [1, {"b": 2}]}', path="a.1.b"), 2)
one("write-file", "written", value={"a": 1}, path="deep/x.json")
same(one("read-file", "text", path="deep/x.json"), '{\n  "a": 1\n}\n')
for key in ("read-file", "write-file"):
    try:
        run(key, path="../outside", value="x")
    except ValueError:
        continue
    raise AssertionError(f"{key} left the storage")
try:
    run("http-fetch", url="file:///etc/passwd")
    raise AssertionError("http-fetch read a file")
except ValueError:
    pass

table = [{"name": "a", "value": 1}, {"name": "b", "value": 3}, {"name": "a", "value": 5}]
sent = run("filter-rows", rows=table, column="value", test="≥", value="3")
same([len(sent["kept"][0]), len(sent["dropped"][0])], [2, 1])
same(one("map-column", "mapped", rows=table, expression="math.sqrt(value + 3)", into="root")[0]["root"], 2.0)
same(one("select-columns", "selected", rows=table, columns=[["value", "v"]])[0], {"v": 1})
same([row["value"] for row in one("sort-rows", "sorted", rows=table, descending=True, first=2)], [5, 3])
same(one("sort-rows", "sorted", rows=[{"value": "x"}, {"value": None}, {"value": 1}])[0], {"value": 1})
gaps = [{"value": 1}, {"value": None}, {"value": 3}]
same(one("fill-missing", "filled", rows=gaps)[1], {"value": 2.0})
same(len(one("fill-missing", "filled", rows=gaps, how="drop the row")), 2)
left, right = [{"id": 1, "a": 1}, {"id": 2, "a": 2}], [{"id": 1, "b": 3}, {"id": 9, "b": 4}]
same(one("join-tables", "joined", left=left, right=right), [{"id": 1, "b": 3, "a": 1}])
same(len(one("join-tables", "joined", left=left, right=right, keep="all rows")), 3)
same(one("group-aggregate", "groups", rows=table), [{"name": "a", "sum": 6}, {"name": "b", "sum": 3}])
same(sum(row["value"] for row in one("histogram", "counts", rows=table, bins=2)), 3)

line = [{"x": x, "y": 2 * x + 1} for x in range(8)]
parts = run("split-train-test", rows=line)
same([len(parts["train"][0]), len(parts["test"][0])], [6, 2])
model = one("linear-regression", "model", rows=line)
assert abs(model["weights"][0] - 2) < 1e-9 and abs(model["intercept"] - 1) < 1e-9, model
predicted = one("predict", "predicted", model=model, rows=line)
assert abs(predicted[3]["prediction"] - 7) < 1e-9, predicted
assert one("regression-metrics", "metrics", rows=predicted)["r_squared"] > 0.999

dots = [{"a": x + d, "b": -x, "label": name} for name, x in (("low", 0), ("high", 9)) for d in (0.0, 0.5, 1.0, 1.5)]
for key in ("logistic-regression", "decision-tree"):
    guessed = one("predict", "predicted", model=one(key, "model", rows=dots), rows=dots)
    same(one("classification-metrics", "metrics", rows=guessed)["accuracy"], 1.0)
assert Host.losses[0] > Host.losses[-1]
clusters = run("k-means", rows=[{"a": d["a"], "b": d["b"]} for d in dots], clusters=2)
same(sorted(row["rows"] for row in clusters["centres"][0]), [4, 4])
one("log-model", "logged", model=model, metrics={"loss": 0.5}, name="Line")
same([Host.models[0]["name"], Host.models[0]["metrics"]], ["Line", {"loss": 0.5}])

words = one("tokenise-text", "words", text="A fox, a FOX; don't.")
same(words, ["a", "fox", "a", "fox", "don't"])
same(one("count-words", "counts", words=words)[0], {"word": "fox", "count": 2})

one("show-table", "same", rows=[{"a": 1, "b": 2.123456789}], columns=["b"])
assert "2.12346" in Host.shown[-1]["text/html"] and "<th>a" not in Host.shown[-1]["text/html"], Host.shown[-1]
one("show-table", "same", rows=[{"<b>": "<script>"}])
assert "<script>" not in Host.shown[-1]["text/html"], Host.shown[-1]
for svg in (
    one("bar-chart", "svg", rows=[{"name": "<a>", "value": -1}, {"name": "b", "value": 2}]),
    one("line-chart", "svg", rows=[{"x": 1, "y": 2}, {"x": 2, "y": 2}]),
):
    import xml.dom.minidom

    xml.dom.minidom.parseString(svg)
    same(Host.shown[-2]["image/svg+xml"][:4], "<svg")
same(len(one("random-numbers", "rows", count=5, shape="normal")), 5)
same(one("random-numbers", "rows", seed=1), one("random-numbers", "rows", seed=1))
readings = run("basin-readings", weeks=1, test_days=2)
same([len(readings["past"][0]), len(readings["recent"][0])], [168, 48])
same(readings["past"][0][0]["level_in_6h"], readings["past"][0][6]["level_cm"])
same(one("delay", "same", value=5, seconds=0), 5)
same(one("log-value", "same", value=[1]), [1])
same(one("collect", "values", value=1, size=1), [1])

print(f"{len(used)} nodes run")
