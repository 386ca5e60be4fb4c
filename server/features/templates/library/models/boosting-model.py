# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from miranda import Field, Node, Receiver, Select, Slider, Text, Transmitter


class BoostingModel(Node):
    """Learns small trees one after the other, each from the errors of those before. Often the most exact for tables."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    predict = Field("find out", control=Select("find out", "classes", "numbers"))
    rounds = Field(150, control=Slider(10, 2000, 10))
    learning_rate = Field(0.1, control=Slider(0.01, 1.0, 0.01))
    seed = Field(7)
    model = Transmitter("model")

    def run(self):
        features, truth = learn_from(self.table, self.target)
        kind = (
            HistGradientBoostingRegressor if predicts_numbers(self.predict, truth) else HistGradientBoostingClassifier
        )
        boosting = kind(max_iter=self.rounds, learning_rate=self.learning_rate, random_state=self.seed)
        # Empty cells are no problem for this model, so nothing fills them.
        words = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        prepared = make_column_transformer(
            (words, make_column_selector(dtype_exclude=["number", "bool"])),
            remainder="passthrough",
            verbose_feature_names_out=False,
        )
        model = make_pipeline(prepared, boosting).fit(features, truth)
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
