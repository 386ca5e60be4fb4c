# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text


class ScatterChart(Node):
    """Draws one dot for each row, coloured by a column of groups or numbers."""

    table = Receiver("dataframe")
    x = Field("", control=Text(placeholder="the first number"))
    y = Field("", control=Text(placeholder="the second number"))
    colour = Field("", control=Text(placeholder="a column"))
    size = Field(18, control=Slider(1, 100))

    def run(self):
        numbers = list(self.table.select_dtypes("number").columns)
        if len(numbers) < 2 and not (self.x and self.y):
            raise ValueError("A scatter plot needs two columns of numbers.")
        x, y = self.x or numbers[0], self.y or numbers[1]
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        look = {"s": self.size, "alpha": 0.75, "linewidths": 0}
        colour = self.table[self.colour] if self.colour else None
        if colour is not None and pandas.api.types.is_numeric_dtype(colour) and colour.nunique() > 12:
            figure.colorbar(axes.scatter(self.table[x], self.table[y], c=colour, **look), label=self.colour)
        elif colour is not None:
            for name in sorted(colour.dropna().unique(), key=str)[:12]:
                part = self.table[colour == name]
                axes.scatter(part[x], part[y], label=str(name), **look)
            axes.legend(title=self.colour)
        else:
            axes.scatter(self.table[x], self.table[y], **look)
        axes.set(xlabel=x, ylabel=y)
        self.show(figure)
