# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure
from sklearn.inspection import permutation_importance

from miranda import Field, Node, Receiver, Slider, Transmitter


class PermutationImportance(Node):
    """Shuffles one column after the other and shows how much worse the model becomes: what it really uses."""

    model = Receiver("model")
    table = Receiver("dataframe")
    rounds = Field(5, control=Slider(1, 50))
    most = Field(12, control=Slider(1, 50))
    seed = Field(7)
    importances = Transmitter("dataframe")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        names = list(self.model.feature_names_in_)
        truth = known[self.model.target_name]
        found = permutation_importance(self.model, known[names], truth, n_repeats=self.rounds, random_state=self.seed)
        table = pandas.DataFrame(
            {"column": names, "importance": found.importances_mean, "deviation": found.importances_std}
        ).round(4)
        table = table.sort_values("importance", ascending=False, ignore_index=True)
        top = table.head(self.most)[::-1]
        figure = Figure(figsize=(6.4, 1 + 0.32 * len(top)), layout="constrained")
        axes = figure.subplots()
        axes.barh(top["column"].astype(str), top["importance"], xerr=top["deviation"], color="#9353d3")
        axes.set(xlabel="loss of score when shuffled")
        self.show(figure)
        self.importances.send(table)
