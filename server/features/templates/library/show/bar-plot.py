# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text, Toggle


class BarPlot(Node):
    """Draws one bar for each row: a name and a number."""

    table = Receiver("dataframe")
    label = Field("", control=Text(placeholder="the first column"))
    value = Field("", control=Text(placeholder="the last number"))
    most = Field(20, control=Slider(1, 100))
    sideways = Field(False, control=Toggle())

    def run(self):
        label = self.label or self.table.columns[0]
        value = self.value or self.table.select_dtypes("number").columns[-1]
        table = self.table.head(self.most)
        names = table[label].astype(str)
        figure = Figure(figsize=(6.4, 1 + 0.32 * len(table)) if self.sideways else (6.4, 3.8), layout="constrained")
        axes = figure.subplots()
        if self.sideways:
            axes.barh(names[::-1], table[value][::-1], color="#e5702a")
            axes.set(xlabel=value)
        else:
            axes.bar(names, table[value], color="#e5702a")
            axes.set(xlabel=label, ylabel=value)
            axes.tick_params(axis="x", rotation=40 if len(table) > 6 else 0)
        self.show(figure)
