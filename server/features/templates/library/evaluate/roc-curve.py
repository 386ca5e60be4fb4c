# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure
from sklearn.metrics import auc, roc_curve

from miranda import Node, Receiver, Transmitter


class RocCurve(Node):
    """Draws how many true and false alarms a classifier gives at every threshold, one curve for each class."""

    model = Receiver("model")
    table = Receiver("dataframe")
    areas = Transmitter("json")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        truth = known[self.model.target_name]
        names = list(self.model.classes_)
        if not hasattr(self.model, "predict_proba"):
            raise ValueError("This model gives no probabilities, so it has no ROC curve.")
        found = self.model.predict_proba(known[list(self.model.feature_names_in_)])
        figure = Figure(figsize=(5.6, 4.4), layout="constrained")
        axes = figure.subplots()
        areas = {}
        # Of two classes one curve is the mirror of the other.
        for at, name in list(enumerate(names))[1 if len(names) == 2 else 0 :]:
            false_rate, true_rate, _ = roc_curve(truth == name, found[:, at])
            areas[str(name)] = round(float(auc(false_rate, true_rate)), 4)
            axes.plot(false_rate, true_rate, label=f"{name}: {areas[str(name)]:.3f}")
        axes.plot([0, 1], [0, 1], color="gray", linestyle="--", linewidth=1)
        axes.set(xlabel="false alarms", ylabel="true alarms", title="ROC curve and the area below it")
        axes.legend(loc="lower right")
        self.show(figure)
        self.areas.send(areas)
