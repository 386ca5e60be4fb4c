# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text


class HistogramChart(Node):
    """Draws how the numbers of a column are spread, for each group in its own colour if you like."""

    table = Receiver("dataframe")
    column = Field("", control=Text(placeholder="the first number"))
    group = Field("", control=Text(placeholder="a column with groups"))
    bins = Field(25, control=Slider(3, 200))

    def run(self):
        column = self.column or self.table.select_dtypes("number").columns[0]
        groups = self.table[self.group] if self.group else pandas.Series("", self.table.index)
        names = sorted(groups.dropna().unique(), key=str)[:12]
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = figure.subplots()
        values = [self.table.loc[groups == name, column].dropna() for name in names]
        axes.hist(values, bins=self.bins, stacked=True, label=[str(name) for name in names])
        axes.set(xlabel=column, ylabel="rows")
        if self.group:
            axes.legend(title=self.group)
        self.show(figure)
