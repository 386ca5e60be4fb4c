# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text


class ScatterMatrix(Node):
    """Draws every column of numbers against every other, with histograms on the diagonal."""

    table = Receiver("dataframe")
    colour = Field("", control=Text(placeholder="a column with groups"))
    most_columns = Field(4, control=Slider(2, 8))

    def run(self):
        names = list(self.table.select_dtypes("number").columns)[: self.most_columns]
        groups = self.table[self.colour] if self.colour else pandas.Series("", self.table.index)
        parts = [self.table[groups == name] for name in sorted(groups.dropna().unique(), key=str)[:10]]
        figure = Figure(figsize=(1.9 * len(names), 1.7 * len(names)), layout="constrained")
        places = figure.subplots(len(names), len(names), squeeze=False)
        for row, down in enumerate(names):
            for column, across in enumerate(names):
                axes = places[row][column]
                axes.tick_params(labelsize=6)
                if row == column:
                    axes.hist([part[down].dropna() for part in parts], bins=15, stacked=True)
                else:
                    for part in parts:
                        axes.scatter(part[across], part[down], s=5, alpha=0.7, linewidths=0)
                if row == len(names) - 1:
                    axes.set_xlabel(across, fontsize=8)
                if column == 0:
                    axes.set_ylabel(down, fontsize=8)
        self.show(figure)
