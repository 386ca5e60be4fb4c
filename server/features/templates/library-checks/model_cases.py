"""Examples of the nodes that train and evaluate models. What a model learns is tested on rows it has not seen."""

from __future__ import annotations

from typing import Any

from cases import STORAGE, case, has_picture, made, table_of, tested, trained
from bench import Result, run_node


def reaches(least: float, source: str) -> Any:
    def check(one: Result) -> bool:
        model = one["model"]
        table = run_node("split-table", {"table": made(source, "table")}, {}, STORAGE)["test"]
        return model.score(table[list(model.feature_names_in_)], table[model.target_name]) >= least

    return check


iris = table_of("sample-data")
churn = table_of("customer-churn")
houses = table_of("house-prices")

case("linear-model", houses, reaches(0.8, "house-prices"))
case("regularised-regression", houses, reaches(0.8, "house-prices"), kind="lasso")
case("logistic-model", churn, reaches(0.7, "customer-churn"))
case("tree-model", iris, lambda one: has_picture(one) and reaches(0.9, "sample-data")(one))
case("forest-model", houses, reaches(0.85, "house-prices"), trees=40)
case("boosting-model", churn, reaches(0.7, "customer-churn"), rounds=60)
case("svm-model", iris, reaches(0.9, "sample-data"))
case("neighbours-model", iris, reaches(0.9, "sample-data"))
case(
    "neural-network",
    iris,
    lambda one: one.host.metrics[0][1] > one.host.metrics[-1][1] and reaches(0.6, "sample-data")(one),
)
case("kmeans-clusters", iris, lambda one: has_picture(one) and one["centres"]["rows"].sum() == 150)
case("pca-parts", iris, lambda one: has_picture(one) and one["shares"]["share"].sum() > 0.9, colour_by="target")
case(
    "find-anomalies",
    table_of("waste-water"),
    lambda one: has_picture(one) and one["anomalies"]["oxygen_mg"].median() < 1,
    columns=["oxygen_mg"],
    share=0.005,
)
case(
    "predict-table",
    tested("logistic-model", "sample-data"),
    lambda one: (
        (one["predicted"]["prediction"] == one["predicted"]["target"]).mean() > 0.85
        and "probability_setosa" in one["predicted"]
    ),
    probabilities=True,
)
case("tune-forest", iris, reaches(0.9, "sample-data"), depths=[2, 4], trees=[10])

iris_tested = tested("forest-model", "sample-data")
house_tested = tested("linear-model", "house-prices")
churn_tested = tested("logistic-model", "customer-churn")
case("classification-report", iris_tested, lambda one: one["metrics"]["accuracy"] > 0.85 and len(one["classes"]) == 3)
case("regression-report", house_tested, lambda one: one["metrics"]["r_squared"] > 0.8)
case("confusion-matrix", iris_tested, lambda one: has_picture(one) and one["counts"]["setosa"].sum() > 5)
case("roc-curve", churn_tested, lambda one: has_picture(one) and one["areas"]["yes"] > 0.75)
case("precision-recall", churn_tested, lambda one: has_picture(one) and one["score"] > 0.5)
case("residual-plot", house_tested, lambda one: has_picture(one) and "error" in one["residuals"])
case("cross-validate", iris_tested, lambda one: has_picture(one) and one["mean"] > 0.8)
case(
    "permutation-importance",
    house_tested,
    lambda one: has_picture(one) and one["importances"]["column"][0] == "area_m2",
)
case("learning-curve", churn_tested, lambda one: has_picture(one) and len(one["scores"]) == 5)
case("cluster-quality", table_of("generated-points", shape="blobs"), has_picture, most=5)


def two_models() -> dict[str, Any]:
    tree, _, test = trained("tree-model", "sample-data")
    return {"first": tree, "second": trained("svm-model", "sample-data")[0], "table": test}


case("compare-models", two_models, lambda one: has_picture(one) and len(one["scores"]) == 2, names=["tree", "svm"])


def opinions(one: Result) -> bool:
    table = made("product-reviews", "table")
    return one["model"].score(table[["text"]], table["opinion"]) > 0.9


case("text-classifier", table_of("product-reviews"), opinions)
