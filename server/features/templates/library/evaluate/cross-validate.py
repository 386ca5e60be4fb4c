# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from miranda import Field, Node, Receiver, Select, Slider, Transmitter


class CrossValidate(Node):
    """Trains a copy of a model several times, each time tested on another part of the table."""

    model = Receiver("model")
    table = Receiver("dataframe")
    parts = Field(5, control=Slider(2, 20))
    score = Field("the usual", control=Select("the usual", "accuracy", "f1_macro", "r2", "neg_mean_absolute_error"))
    scores = Transmitter("dataframe")
    mean = Transmitter("float")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        # The order of the rows may mean something; the parts must not.
        known = known.sample(frac=1, random_state=7)
        features, truth = known[list(self.model.feature_names_in_)], known[self.model.target_name]
        scoring = None if self.score == "the usual" else self.score
        found = cross_val_score(clone(self.model), features, truth, cv=self.parts, scoring=scoring)
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.bar([str(at + 1) for at in range(len(found))], found)
        axes.axhline(found.mean(), color="black", linestyle="--", linewidth=1)
        axes.set(xlabel="part", ylabel="score", title=f"{found.mean():.3f} ± {found.std():.3f}")
        self.show(figure)
        self.scores.send(pandas.DataFrame({"part": range(1, len(found) + 1), "score": found.round(4)}))
        self.mean.send(float(found.mean()))
