# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import numpy
import pandas
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.model_selection import learning_curve

from miranda import Field, Node, Receiver, Slider, Transmitter


class LearningCurve(Node):
    """Shows whether more rows would help: the score of a model that has learnt from more and more of them."""

    model = Receiver("model")
    table = Receiver("dataframe")
    steps = Field(5, control=Slider(3, 20))
    parts = Field(3, control=Slider(2, 10))
    scores = Transmitter("dataframe")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        features, truth = known[list(self.model.feature_names_in_)], known[self.model.target_name]
        sizes, train, test = learning_curve(
            clone(self.model),
            features,
            truth,
            train_sizes=numpy.linspace(0.2, 1, self.steps),
            cv=self.parts,
            shuffle=True,
            random_state=7,
        )
        scores = pandas.DataFrame({"rows": sizes, "train": train.mean(axis=1), "test": test.mean(axis=1)}).round(4)
        figure = Figure(figsize=(6, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.plot(scores["rows"], scores["train"], marker="o", label="on rows that it knows")
        axes.plot(scores["rows"], scores["test"], marker="o", label="on new rows")
        axes.set(xlabel="rows to learn from", ylabel="score")
        axes.legend()
        self.show(figure)
        self.scores.send(scores)
