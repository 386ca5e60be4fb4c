# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Select, Transmitter


class HeatMap(Node):
    """Draws how strongly the columns of numbers go together, as coloured squares."""

    table = Receiver("dataframe")
    method = Field("pearson", control=Select("pearson", "spearman"))
    correlations = Transmitter("dataframe")

    def run(self):
        numbers = self.table.select_dtypes("number").iloc[:, :25]
        found = numbers.corr(method=self.method)
        size = 2.5 + 0.42 * len(found)
        figure = Figure(figsize=(size + 1, size), layout="constrained")
        axes = figure.subplots()
        figure.colorbar(axes.imshow(found, vmin=-1, vmax=1, cmap="RdBu_r"), shrink=0.8)
        axes.set_xticks(range(len(found)), found.columns, rotation=45, ha="right")
        axes.set_yticks(range(len(found)), found.columns)
        if len(found) <= 10:
            for row in range(len(found)):
                for column in range(len(found)):
                    value = found.iloc[row, column]
                    colour = "white" if abs(value) > 0.6 else "black"
                    axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=8, color=colour)
        self.show(figure)
        self.correlations.send(found.round(4).rename_axis("column").reset_index())
