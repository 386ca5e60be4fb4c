# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from miranda import Node, Receiver, Transmitter


class RegressionReport(Node):
    """Measures a model that predicts numbers, on rows that it has not seen: errors and R²."""

    model = Receiver("model")
    table = Receiver("dataframe")
    metrics = Transmitter("json")

    def run(self):
        known = self.table.dropna(subset=[self.model.target_name])
        truth = known[self.model.target_name]
        guess = self.model.predict(known[list(self.model.feature_names_in_)])
        squared = float(mean_squared_error(truth, guess))
        metrics = {
            "r_squared": round(float(r2_score(truth, guess)), 4),
            "mean_absolute_error": round(float(mean_absolute_error(truth, guess)), 4),
            "root_mean_squared_error": round(squared**0.5, 4),
            "loss": round(squared, 4),
        }
        self.log.info("%s", metrics)
        self.show(metrics)
        self.metrics.send(metrics)
