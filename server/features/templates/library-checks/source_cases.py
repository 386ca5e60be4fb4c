"""Examples of the nodes that read, make and write data. Files are real ones, addresses those of a server of our own."""

from __future__ import annotations

import http.server
import io
import json
import threading
from functools import partial
from typing import Any

from cases import STORAGE, case, columns, made, table_of, trained

CITIES = "city,people\nOslo,709\nRome,2755\nLima,10092\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...


def serve() -> str:
    """The address of a server of the files in the storage: a web service, and a bucket that anybody may read."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(STORAGE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def prepare() -> None:
    import pandas
    import sqlalchemy
    from PIL import Image

    cities = pandas.read_csv(io.StringIO(CITIES))
    bucket = STORAGE / "bucket"
    bucket.mkdir()
    for place in (STORAGE, bucket):
        cities.to_csv(place / "cities.csv", index=False)
    cities.to_excel(STORAGE / "cities.xlsx", index=False)
    cities.to_parquet(STORAGE / "cities.parquet")
    records = [{"city": "Oslo", "at": {"north": 59.9}}, {"city": "Lima", "at": {"north": -12.0}}]
    (STORAGE / "cities.json").write_text(json.dumps({"data": {"items": records}}))
    engine = sqlalchemy.create_engine(f"sqlite:///{STORAGE / 'cities.db'}")
    with engine.begin() as connection:
        cities.to_sql("cities", connection, index=False)
    engine.dispose()
    for label, colour in (("red", (220, 40, 40)), ("blue", (40, 60, 220))):
        folder = STORAGE / "images" / label
        folder.mkdir(parents=True)
        Image.new("RGB", (64, 48), colour).save(folder / "one.png")


prepare()
ADDRESS = serve()
is_cities = lambda one: one["table"]["people"].sum() == 13556  # noqa: E731

case("read-csv", check=is_cities, address="cities.csv")
case("read-excel", check=is_cities, address=f"{ADDRESS}/cities.xlsx")
case("read-parquet", check=is_cities, address="cities.parquet", columns=["city", "people"])
case(
    "read-json-table",
    check=lambda one: columns(one, "table") == ["city", "at.north"],
    path_in_storage="cities.json",
    records_at="data.items",
)
case(
    "sql-query",
    check=lambda one: list(one["table"]["city"]) == ["Rome", "Lima"],
    address=f"sqlite:///{STORAGE / 'cities.db'}",
    query="select * from cities where people > 1000",
)
case(
    "http-json",
    check=lambda one: len(one["table"]) == 2,
    address=f"{ADDRESS}/cities.json",
    records_at="data.items",
)
case("read-s3", check=is_cities, bucket="bucket", key="cities.csv", endpoint=ADDRESS)
case(
    "image-folder",
    check=lambda one: list(one["table"]["label"]) == ["blue", "red"] and one["images"][0].size == (64, 48),
)
case("sample-data", check=lambda one: set(one["table"]["target"]) == {"setosa", "versicolor", "virginica"})
case("waste-water", check=lambda one: len(one["table"]) == 60 * 24)
case("shop-orders", check=lambda one: len(one["table"]) == 1000)
case("customer-churn", check=lambda one: one["table"]["monthly_price"].isna().any())
case("house-prices", check=lambda one: one["table"]["price"].min() >= 40000)
case("product-reviews", check=lambda one: set(one["table"]["opinion"]) == {"good", "bad"})
case("bike-rentals", check=lambda one: len(one["table"]) == 730)
case("typed-table", check=lambda one: one["table"]["people"].sum() == 13556)
case("generated-points", check=lambda one: set(one["table"]["group"]) == {"red", "blue"})
case("sample-images", check=lambda one: len(one["images"]) == 24, which="digits")


def read_back(name: str) -> Any:
    import pandas

    path = STORAGE / name
    reader = {".csv": pandas.read_csv, ".xlsx": pandas.read_excel, ".parquet": pandas.read_parquet}
    return reader.get(path.suffix, pandas.read_json)(path)


orders = table_of("shop-orders")
case("write-csv", orders, lambda one: len(read_back("out/orders.csv")) == 1000, path="out/orders.csv")
case("write-excel", orders, lambda one: len(read_back("orders.xlsx")) == 1000, path="orders.xlsx")
case("write-parquet", orders, lambda one: len(read_back("orders.parquet")) == 1000, path="orders.parquet")
case("write-json-table", orders, lambda one: len(read_back("orders.json")) == 1000, path="orders.json")
case("write-sql", orders, lambda one: one["rows"] == 1000, address=f"sqlite:///{STORAGE / 'orders.db'}", name="orders")
case("download-table", orders, lambda one: one.host.files[0].name == "table.csv")


def is_saved(one: Any) -> bool:
    import pathlib
    import pickle

    (model,) = one.host.models
    again = pickle.loads(pathlib.Path(model["artifact"]).read_bytes())
    return model["metrics"] == {"accuracy": 0.9} and again.target_name == "target"


case(
    "save-model",
    lambda: {"model": trained("forest-model", "sample-data")[0], "metrics": {"accuracy": 0.9, "note": "good"}},
    is_saved,
    name="Iris",
)
case("rows-to-table", lambda: {"rows": [{"a": 1}, {"a": 2}]}, lambda one: one["table"]["a"].sum() == 3)
case(
    "merge-tables",
    lambda: {
        "left": made("typed-table", "table"),
        "right": made("typed-table", "table", text="city,country\nRome,Italy\n"),
    },
    lambda one: one["merged"]["country"].tolist() == ["Italy"],
)
case(
    "stack-tables",
    lambda: {"upper": made("typed-table", "table"), "lower": made("typed-table", "table")},
    lambda one: len(one["stacked"]) == 6,
)
