# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class PcaParts(Node):
    """Principal components: presses many columns of numbers into a few, and draws the first two."""

    table = Receiver("dataframe")
    components = Field(2, control=Slider(2, 20))
    colour_by = Field("", control=Text(placeholder="a column"))
    reduced = Transmitter("dataframe")
    shares = Transmitter("dataframe")

    def run(self):
        numbers = self.table.select_dtypes("number").dropna()
        count = min(self.components, numbers.shape[1])
        model = make_pipeline(StandardScaler(), PCA(count))
        places = model.fit_transform(numbers)
        names = [f"component_{at + 1}" for at in range(count)]
        reduced = pandas.DataFrame(places, columns=names, index=numbers.index)
        rest = self.table.loc[numbers.index].drop(columns=numbers.columns)
        share = model[-1].explained_variance_ratio_
        self.show(self.draw(reduced, share))
        self.reduced.send(reduced.join(rest))
        self.shares.send(pandas.DataFrame({"component": names, "share": share.round(4)}))

    def draw(self, reduced, share):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.subplots()
        groups = self.table.loc[reduced.index, self.colour_by] if self.colour_by else pandas.Series("", reduced.index)
        for name in sorted(groups.unique(), key=str)[:20]:
            part = reduced[groups == name]
            axes.scatter(
                part["component_1"], part.iloc[:, -1 if len(share) < 2 else 1], s=18, alpha=0.8, label=str(name)
            )
        if self.colour_by:
            axes.legend(title=self.colour_by)
        axes.set(
            xlabel=f"component 1 ({share[0]:.0%})", ylabel=f"component 2 ({share[-1 if len(share) < 2 else 1]:.0%})"
        )
        return figure
