# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Field, Json, Node, Receiver, Text


class LinePlot(Node):
    """Draws columns as lines, over dates or another column."""

    table = Receiver("dataframe")
    x = Field("", control=Text(placeholder="the first column"))
    y = Field([], control=Json())
    title = Field("", control=Text())

    def run(self):
        x = self.x or self.table.columns[0]
        y = self.y or [name for name in self.table.select_dtypes("number").columns if name != x][:3]
        table = self.table.sort_values(x)
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        axes = figure.subplots()
        for name in y:
            axes.plot(table[x], table[name], label=str(name), linewidth=1.4)
        axes.set(xlabel=x, title=self.title)
        axes.grid(alpha=0.25)
        axes.legend()
        if table[x].dtype.kind == "M":
            figure.autofmt_xdate()
        self.show(figure)
