# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miranda import Field, Node, Receiver, Text, Transmitter


class LinearModel(Node):
    """Fits a straight line through all columns at once to predict a number, and shows what each column adds."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        model = make_pipeline(prepared(), LinearRegression()).fit(features, truth)
        model.target_name = truth.name
        names = model[0].get_feature_names_out()
        weights = pandas.DataFrame({"column": names, "weight": model[-1].coef_})
        self.show(weights.sort_values("weight", key=abs, ascending=False, ignore_index=True))
        self.model.send(model)


def learn_from(table, target):
    target = target or table.columns[-1]
    if target not in table.columns:
        raise ValueError(f"The table has no column {target!r} to predict.")
    known = table.dropna(subset=[target])
    return known.drop(columns=target).select_dtypes(exclude="datetime"), known[target]


def prepared():
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number", "bool"])),
        (words, make_column_selector(dtype_exclude=["number", "bool"])),
        verbose_feature_names_out=False,
    )
