# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miranda import Field, Node, Number, Receiver, Text, Toggle, Transmitter


class LogisticModel(Node):
    """Learns to tell classes apart with a linear model, and says how probable each class is."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    strength = Field(1.0, control=Number(min=0.0001))
    balance_classes = Field(False, control=Toggle())
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        weight = "balanced" if self.balance_classes else None
        classifier = LogisticRegression(C=1 / self.strength, class_weight=weight, max_iter=2000)
        model = make_pipeline(prepared(), classifier).fit(features, truth)
        model.target_name = truth.name
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
