# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Node, Receiver, Transmitter


class MissingCells(Node):
    """Shows where a table has empty cells, and how many in each column."""

    table = Receiver("dataframe")
    counts = Transmitter("dataframe")

    def run(self):
        empty = self.table.isna()
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.imshow(empty.to_numpy(), aspect="auto", interpolation="nearest", cmap="Greys")
        names = [f"{name} ({count})" for name, count in empty.sum().items()]
        axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
        axes.set(ylabel="row", title=f"{int(empty.to_numpy().sum())} empty cells")
        self.show(figure)
        self.counts.send(empty.sum().rename("empty").rename_axis("column").reset_index())
