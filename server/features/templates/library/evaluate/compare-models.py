# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import pandas
from matplotlib.figure import Figure

from miranda import Field, Json, Node, Receiver, Transmitter


class CompareModels(Node):
    """Scores up to four models on the same rows, side by side: accuracy for classes, R² for numbers."""

    table = Receiver("dataframe")
    first = Receiver("model")
    second = Receiver("model")
    third = Receiver("model")
    fourth = Receiver("model")
    names = Field([], control=Json())
    scores = Transmitter("dataframe")
    best = Transmitter("model")

    def run(self):
        models = [one for one in (self.first, self.second, self.third, self.fourth) if one is not None]
        rows = []
        for at, model in enumerate(models):
            known = self.table.dropna(subset=[model.target_name])
            score = model.score(known[list(model.feature_names_in_)], known[model.target_name])
            name = self.names[at] if at < len(self.names) else type(model[-1]).__name__
            rows.append({"model": name, "score": round(float(score), 4)})
        scores = pandas.DataFrame(rows)
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.subplots()
        bars = axes.bar(
            scores["model"], scores["score"], color=["#3b82f6", "#9353d3", "#0e9f8e", "#e5702a"][: len(rows)]
        )
        axes.bar_label(bars, fmt="%.3f")
        axes.set(ylabel="score")
        axes.margins(y=0.15)
        self.show(figure)
        self.scores.send(scores.sort_values("score", ascending=False, ignore_index=True))
        self.best.send(models[scores["score"].idxmax()])
