# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pandas
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from miranda import Node, Receiver, Transmitter


class ClassificationReport(Node):
    """Measures a classifier on rows that it has not seen: accuracy, precision, recall and F1, for each class too."""

    model = Receiver("model")
    table = Receiver("dataframe")
    metrics = Transmitter("json")
    classes = Transmitter("dataframe")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        truth = known[self.model.target_name]
        guess = self.model.predict(known[list(self.model.feature_names_in_)])
        names = list(self.model.classes_)
        parts = precision_recall_fscore_support(truth, guess, labels=names, zero_division=0)
        table = pandas.DataFrame({"class": names, "precision": parts[0], "recall": parts[1], "f1": parts[2]}).round(4)
        table["rows"] = parts[3]
        metrics = {"accuracy": round(float(accuracy_score(truth, guess)), 4)}
        metrics |= {name: round(float(table[name].mean()), 4) for name in ("precision", "recall", "f1")}
        self.log.info("%s", metrics)
        self.show(table)
        self.show(metrics)
        self.classes.send(table)
        self.metrics.send(metrics)
