import math
import statistics

from miranda import Field, Node, Receiver, Text, Transmitter


class RegressionMetrics(Node):
    """Compares predicted numbers with true ones: mean squared error, its root, mean absolute error and R²."""

    rows = Receiver("table")
    truth = Field("y", control=Text())
    prediction = Field("prediction", control=Text())
    metrics = Transmitter("json")

    def run(self):
        truths = [float(row[self.truth]) for row in self.rows]
        errors = [float(row[self.prediction]) - truth for row, truth in zip(self.rows, truths)]
        squared = statistics.fmean(error * error for error in errors)
        spread = statistics.pvariance(truths)
        metrics = {
            "loss": squared,
            "root_mean_squared_error": math.sqrt(squared),
            "mean_absolute_error": statistics.fmean(abs(error) for error in errors),
            "r_squared": 1 - squared / spread if spread else 0.0,
        }
        self.log.info("%s", metrics)
        self.show(metrics)
        self.metrics.send(metrics)
