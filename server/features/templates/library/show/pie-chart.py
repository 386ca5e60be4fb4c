# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text


class PieChart(Node):
    """Draws the shares of a whole: how often each value of a column occurs, or the sum of another column."""

    table = Receiver("dataframe")
    label = Field("", control=Text(placeholder="the first column of words"))
    value = Field("", control=Text(placeholder="count the rows"))
    most = Field(6, control=Slider(2, 20))

    def run(self):
        label = self.label or self.table.select_dtypes(exclude="number").columns[0]
        groups = self.table.groupby(label, observed=True)
        sizes = (groups[self.value].sum() if self.value else groups.size()).sort_values(ascending=False)
        shown, rest = sizes.head(self.most), sizes.iloc[self.most :].sum()
        names = [*map(str, shown.index), *(["others"] if rest > 0 else [])]
        figure = Figure(figsize=(5.4, 3.8), layout="constrained")
        figure.subplots().pie(
            [*shown, *([rest] if rest > 0 else [])],
            labels=names,
            autopct="%1.0f%%",
            wedgeprops={"width": 0.45, "edgecolor": "white"},
            pctdistance=0.78,
        )
        self.show(figure)
