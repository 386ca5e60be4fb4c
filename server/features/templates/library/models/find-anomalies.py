# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure
from sklearn.ensemble import IsolationForest

from miranda import Field, Json, Node, Receiver, Slider, Transmitter


class FindAnomalies(Node):
    """Finds rows that are unlike the others with an isolation forest, and adds the columns anomaly and score."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    share = Field(0.02, control=Slider(0.001, 0.5, 0.001))
    seed = Field(7)
    marked = Transmitter("dataframe")
    anomalies = Transmitter("dataframe")

    def run(self):
        numbers = self.table[self.columns] if self.columns else self.table.select_dtypes("number")
        numbers = numbers.dropna()
        forest = IsolationForest(contamination=self.share, random_state=self.seed).fit(numbers.to_numpy())
        score = -forest.score_samples(numbers.to_numpy())
        is_anomaly = forest.predict(numbers.to_numpy()) == -1
        marked = self.table.loc[numbers.index].assign(anomaly=is_anomaly, score=score.round(3))
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.hist([score[~is_anomaly], score[is_anomaly]], bins=40, stacked=True, label=["usual", "anomaly"])
        axes.set(xlabel="score", ylabel="rows", yscale="symlog", title=f"{is_anomaly.sum()} anomalies")
        axes.legend()
        self.show(figure)
        self.marked.send(marked)
        self.anomalies.send(marked[marked["anomaly"]].sort_values("score", ascending=False))
