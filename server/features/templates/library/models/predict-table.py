# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from miranda import Field, Node, Receiver, Text, Toggle, Transmitter


class PredictTable(Node):
    """Applies a model to a table and adds what it predicts as a column."""

    model = Receiver("model")
    table = Receiver("dataframe")
    column = Field("prediction", control=Text())
    probabilities = Field(False, control=Toggle())
    predicted = Transmitter("dataframe")

    def run(self):
        features = self.table[list(self.model.feature_names_in_)]
        predicted = self.table.assign(**{self.column: self.model.predict(features)})
        if self.probabilities and hasattr(self.model, "predict_proba"):
            found = self.model.predict_proba(features)
            for at, name in enumerate(self.model.classes_):
                predicted[f"probability_{name}"] = found[:, at].round(4)
        self.predicted.send(predicted)
