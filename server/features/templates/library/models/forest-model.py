# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miranda import Field, Node, Receiver, Select, Slider, Text, Transmitter


class ForestModel(Node):
    """Learns many trees on parts of the data and lets them vote: a good first model for tables."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    predict = Field("find out", control=Select("find out", "classes", "numbers"))
    trees = Field(100, control=Slider(10, 1000, 10))
    depth = Field(0, control=Slider(0, 50))
    seed = Field(7)
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        kind = RandomForestRegressor if predicts_numbers(self.predict, truth) else RandomForestClassifier
        forest = kind(n_estimators=self.trees, max_depth=self.depth or None, random_state=self.seed)
        model = make_pipeline(prepared(), forest).fit(features, truth)
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
