# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure
from sklearn.metrics import confusion_matrix

from miranda import Field, Node, Receiver, Toggle, Transmitter


class ConfusionMatrix(Node):
    """Counts which classes a model takes for which, and draws it as coloured squares."""

    model = Receiver("model")
    table = Receiver("dataframe")
    as_shares = Field(False, control=Toggle())
    counts = Transmitter("dataframe")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        guess = self.model.predict(known[list(self.model.feature_names_in_)])
        names = list(self.model.classes_)
        how = "true" if self.as_shares else None
        counts = confusion_matrix(known[self.model.target_name], guess, labels=names, normalize=how)
        figure = Figure(figsize=(5.6, 4.6), layout="constrained")
        axes = figure.subplots()
        axes.imshow(counts, cmap="Blues")
        for row, column in ((row, column) for row in range(len(names)) for column in range(len(names))):
            value = counts[row, column]
            colour = "white" if value > counts.max() / 2 else "black"
            text = f"{value:.0%}" if self.as_shares else str(value)
            axes.text(column, row, text, ha="center", va="center", color=colour)
        axes.set_xticks(range(len(names)), names, rotation=30 if len(names) > 4 else 0)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel="predicted", ylabel="true")
        self.show(figure)
        self.counts.send(pandas.DataFrame(counts, index=names, columns=names).rename_axis("true").reset_index())
