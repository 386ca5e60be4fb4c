# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure
from sklearn.metrics import average_precision_score, precision_recall_curve

from miranda import Field, Node, Receiver, Text, Transmitter


class PrecisionRecall(Node):
    """Draws precision against recall for one class: better than ROC when the class is rare."""

    model = Receiver("model")
    table = Receiver("dataframe")
    of_class = Field("", control=Text(placeholder="the last class"))
    score = Transmitter("float")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        names = [str(name) for name in self.model.classes_]
        wanted = self.of_class or names[-1]
        if wanted not in names:
            raise ValueError(f"There is no class {wanted!r}. The classes are {', '.join(names)}.")
        truth = known[self.model.target_name].astype(str) == wanted
        found = self.model.predict_proba(known[list(self.model.feature_names_in_)])[:, names.index(wanted)]
        precision, recall, _ = precision_recall_curve(truth, found)
        score = float(average_precision_score(truth, found))
        figure = Figure(figsize=(5.6, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.step(recall, precision, where="post")
        axes.axhline(truth.mean(), color="gray", linestyle="--", linewidth=1)
        axes.set(xlabel="recall", ylabel="precision", ylim=(0, 1.02), title=f"{wanted}: average precision {score:.3f}")
        self.show(figure)
        self.score.send(score)
