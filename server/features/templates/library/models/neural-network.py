# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miranda import Field, Json, Node, Receiver, Select, Slider, Text, Transmitter, log_metric


class NeuralNetwork(Node):
    """Trains a small neural network without extra packages, and logs its loss while it learns."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    predict = Field("find out", control=Select("find out", "classes", "numbers"))
    layers = Field([32, 16], control=Json())
    rounds = Field(300, control=Slider(10, 2000, 10))
    seed = Field(7)
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        kind = MLPRegressor if predicts_numbers(self.predict, truth) else MLPClassifier
        # Of a small table nothing is left to stop by.
        stops_early = len(truth) > 1000
        network = kind(tuple(self.layers), max_iter=self.rounds, early_stopping=stops_early, random_state=self.seed)
        model = make_pipeline(prepared(), network).fit(features, truth)
        model.target_name = truth.name
        for step, loss in enumerate(network.loss_curve_):
            log_metric("loss", loss, step)
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
