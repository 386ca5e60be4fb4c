# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Node, Receiver, Transmitter


class ResidualPlot(Node):
    """Draws predicted against true numbers, and how the errors are spread."""

    model = Receiver("model")
    table = Receiver("dataframe")
    residuals = Transmitter("dataframe")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        truth = known[self.model.target_name]
        guess = self.model.predict(known[list(self.model.feature_names_in_)])
        errors = truth - guess
        figure = Figure(figsize=(8, 3.8), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.scatter(truth, guess, s=12, alpha=0.6)
        ends = [min(truth.min(), guess.min()), max(truth.max(), guess.max())]
        left.plot(ends, ends, color="gray", linestyle="--", linewidth=1)
        left.set(xlabel="true", ylabel="predicted", title=self.model.target_name)
        right.hist(errors, bins=30)
        right.axvline(0, color="gray", linestyle="--", linewidth=1)
        right.set(xlabel="error", ylabel="rows", title=f"mean error {errors.mean():.3g}")
        self.show(figure)
        self.residuals.send(known.assign(prediction=guess, error=errors))
