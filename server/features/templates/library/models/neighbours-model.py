# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miranda import Field, Node, Receiver, Select, Slider, Text, Toggle, Transmitter


class NeighboursModel(Node):
    """Nearest neighbours (k-NN): predicts from the rows that are most alike."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    predict = Field("find out", control=Select("find out", "classes", "numbers"))
    neighbours = Field(5, control=Slider(1, 100))
    near_counts_more = Field(True, control=Toggle())
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        kind = KNeighborsRegressor if predicts_numbers(self.predict, truth) else KNeighborsClassifier
        weights = "distance" if self.near_counts_more else "uniform"
        model = make_pipeline(prepared(), kind(n_neighbors=self.neighbours, weights=weights)).fit(features, truth)
        model.target_name = truth.name
        self.model.send(model)


def predicts_numbers(wanted, truth):
    if wanted != "find out":
        return wanted == "numbers"
    return truth.dtype.kind in "iuf" and truth.nunique() > 20


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
