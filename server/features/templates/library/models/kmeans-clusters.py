# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from miranda import Field, Json, Node, Receiver, Slider, Transmitter


class KMeansClusters(Node):
    """Finds groups of similar rows, adds the column cluster, and draws the groups in the plane."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    clusters = Field(3, control=Slider(2, 30))
    seed = Field(7)
    clustered = Transmitter("dataframe")
    centres = Transmitter("dataframe")

    def run(self):
        numbers = self.table[self.columns] if self.columns else self.table.select_dtypes("number")
        numbers = numbers.dropna()
        model = make_pipeline(StandardScaler(), KMeans(self.clusters, n_init=10, random_state=self.seed))
        cluster = model.fit_predict(numbers)
        clustered = self.table.loc[numbers.index].assign(cluster=cluster)
        centres = numbers.groupby(cluster).mean().round(3)
        centres.insert(0, "rows", clustered["cluster"].value_counts().sort_index().to_numpy())
        self.show(self.draw(numbers, cluster))
        self.clustered.send(clustered)
        self.centres.send(centres.rename_axis("cluster").reset_index())

    def draw(self, numbers, cluster):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.subplots()
        places = numbers.to_numpy()
        labels = list(numbers.columns)
        if len(labels) > 2:
            places = PCA(2).fit_transform(StandardScaler().fit_transform(numbers))
            labels = ["first component", "second component"]
        second = places[:, 1] if places.shape[1] > 1 else places[:, 0] * 0
        axes.scatter(places[:, 0], second, c=cluster, cmap="tab10", s=18, alpha=0.8)
        axes.set(xlabel=labels[0], ylabel=labels[-1], title=f"{self.clusters} clusters")
        return figure
