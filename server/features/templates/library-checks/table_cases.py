"""Examples of the nodes that prepare tables and features, show them, and work on texts, series and pictures."""

from __future__ import annotations

from typing import Any

from cases import case, columns, has_picture, made, table_of

iris = table_of("sample-data")
orders = table_of("shop-orders")
churn = table_of("customer-churn")
houses = table_of("house-prices")
plant = table_of("waste-water")
bikes = table_of("bike-rentals")
reviews = table_of("product-reviews")

case("choose-columns", iris, lambda one: columns(one, "chosen") == ["target"], columns=["target"])
case(
    "query-rows",
    orders,
    lambda one: (one["kept"]["amount"] > 20).all() and len(one["kept"]) + len(one["dropped"]) == 1000,
    condition='amount > 20 and country == "Spain"',
)
case(
    "sort-table",
    orders,
    lambda one: one["ordered"]["amount"].is_monotonic_decreasing and len(one["ordered"]) == 10,
    descending=True,
    first=10,
)
case("drop-duplicates", orders, lambda one: len(one["unique"]) == 6, columns=["product"])
case("fill-gaps", churn, lambda one: not one["filled"].isna().any().any())
case(
    "rename-columns",
    iris,
    lambda one: columns(one, "renamed") == ["sepal_length", "sepal_width", "length", "petal_width", "target"],
    names={"petal length": "Length"},
)
case(
    "add-column",
    orders,
    lambda one: (one["widened"]["each"] * one["widened"]["quantity"] - one["widened"]["amount"]).abs().max() < 0.01,
    name="each",
    expression="amount / quantity",
)
case("group-table", orders, lambda one: len(one["groups"]) == 5, by=["country"], column="amount")
case(
    "pivot-table",
    orders,
    lambda one: one["pivoted"].shape == (5, 7),
    rows="country",
    columns="product",
    values="amount",
)
case("unpivot-table", iris, lambda one: len(one["long"]) == 600, keep=["target"])
case("sample-rows", orders, lambda one: len(one["sampled"]) == 100)
case("convert-types", orders, lambda one: one["converted"]["price"].dtype.kind != "f", columns=["price"], to="text")
case("remove-outliers", houses, lambda one: 0 < len(one["outliers"]) < 200, columns=["price"])
case("split-table", iris, lambda one: len(one["test"]) == 38, balance_by="target")

case("one-hot-columns", churn, lambda one: "contract_monthly" in columns(one, "encoded"), columns=["contract"])
case("scale-columns", iris, lambda one: abs(one["scaled"]["petal length"].mean()) < 1e-9)
case("date-parts", plant, lambda one: one["widened"]["time_hour"].max() == 23)
case("bin-column", houses, lambda one: one["binned"]["price_class"].nunique() == 5, column="price")
case("polynomial-features", iris, lambda one: "petal length^2" in columns(one, "widened"))
case("best-features", iris, lambda one: one["scores"]["column"][0].startswith("petal"), most=2)
case("log-columns", houses, lambda one: one["changed"]["price"].max() < 20, columns=["price"])

case("show-frame", iris, lambda one: one.shown[0]["application/vnd.miranda.table+json"]["total"] == 100)
case("describe-table", churn, lambda one: one["summary"]["empty"].sum() > 0)
case("histogram-chart", iris, has_picture, column="petal length", group="target")
case("scatter-chart", iris, has_picture, x="petal length", y="petal width", colour="target")
case("line-plot", bikes, has_picture, y=["temperature_c", "rentals"])
case("bar-plot", lambda: {"table": made("typed-table", "table")}, has_picture, value="people")
case("box-plot", houses, has_picture, column="price", group="district")
case("heat-map", plant, lambda one: has_picture(one) and abs(one["correlations"]["rain_mm"][0] - 1) < 1e-9)
case("scatter-matrix", iris, has_picture, colour="target")
case("pie-chart", orders, has_picture, label="product", value="amount")
case("missing-cells", churn, lambda one: has_picture(one) and one["counts"]["empty"].sum() > 0)

case("clean-text", reviews, lambda one: one["cleaned"]["text"].str.fullmatch(r"[a-z' ]+").all())
case("word-features", reviews, lambda one: columns(one, "features")[-1] == "opinion")
case("word-counts", reviews, lambda one: has_picture(one) and len(one["counts"]) == 15)
case("find-topics", reviews, lambda one: one["labelled"]["topic"].nunique() == 4)
case("similar-texts", reviews, lambda one: "lamp" in one["found"]["text"].iloc[0])

case("resample-series", plant, lambda one: len(one["resampled"]) == 60)
case("rolling-average", bikes, lambda one: has_picture(one) and "rentals_smooth" in columns(one, "smoothed"), rows=28)
case("lag-columns", bikes, lambda one: columns(one, "lagged")[-1] == "rentals" and len(one["lagged"]) == 723)
case("split-by-time", bikes, lambda one: one["train"]["date"].max() < one["test"]["date"].min())
case("trend-and-season", bikes, lambda one: has_picture(one) and one["parts"]["season"].abs().max() > 10)
case("forecast", bikes, lambda one: has_picture(one) and one["forecast"]["rentals"].between(0, 600).all())


def pictures() -> dict[str, Any]:
    return {"images": made("sample-images", "images")}


def digits() -> dict[str, Any]:
    return {"images": made("sample-images", "images", which="digits")}


case("resize-images", pictures, lambda one: {image.size for image in one["resized"]} == {(128, 128)})
case("filter-images", pictures, lambda one: one["changed"][0].size == (640, 427))
case("image-features", pictures, lambda one: abs(one["table"].iloc[0].sum() - 3) < 0.01, what="colours")
case("show-images", digits, has_picture, columns=8, side=48)
