# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from miranda import Field, Node, Receiver, Slider, Transmitter, progress


class ClusterQuality(Node):
    """Tries several numbers of clusters and shows how well each separates the rows."""

    table = Receiver("dataframe")
    most = Field(8, control=Slider(3, 30))
    seed = Field(7)
    scores = Transmitter("dataframe")

    def run(self):
        numbers = StandardScaler().fit_transform(self.table.select_dtypes("number").dropna())
        rows = []
        for count in range(2, self.most + 1):
            model = KMeans(count, n_init=5, random_state=self.seed).fit(numbers)
            quality = silhouette_score(numbers, model.labels_, sample_size=2000, random_state=self.seed)
            rows.append(
                {"clusters": count, "silhouette": round(float(quality), 4), "inertia": round(model.inertia_, 1)}
            )
            progress(count - 1, self.most - 1, "tries")
        scores = pandas.DataFrame(rows)
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.plot(scores["clusters"], scores["silhouette"], marker="o")
        best = scores.loc[scores["silhouette"].idxmax()]
        axes.axvline(best["clusters"], color="gray", linestyle="--", linewidth=1)
        axes.set(xlabel="clusters", ylabel="silhouette", title=f"best: {best['clusters']:.0f}")
        self.show(figure)
        self.scores.send(scores)
