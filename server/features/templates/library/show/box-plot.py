# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Text


class BoxPlot(Node):
    """Draws the middle, the spread and the outliers of a column, one box for each group."""

    table = Receiver("dataframe")
    column = Field("", control=Text(placeholder="the first number"))
    group = Field("", control=Text(placeholder="a column with groups"))

    def run(self):
        column = self.column or self.table.select_dtypes("number").columns[0]
        groups = self.table[self.group] if self.group else pandas.Series("all", self.table.index)
        names = sorted(groups.dropna().unique(), key=str)[:20]
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = figure.subplots()
        axes.boxplot([self.table.loc[groups == name, column].dropna() for name in names])
        axes.set_xticks(range(1, len(names) + 1), [str(name) for name in names], rotation=30 if len(names) > 6 else 0)
        axes.set(ylabel=column, xlabel=self.group)
        self.show(figure)
