import math
import statistics

from miranda import Field, Json, Node, Number, Receiver, Slider, Text, Transmitter, log_metric


class LogisticRegression(Node):
    """Learns to tell classes apart, each against the others, by gradient descent on scaled features."""

    rows = Receiver("table")
    target = Field("label", control=Text())
    features = Field([], control=Json())
    epochs = Field(200, control=Slider(10, 2000, 10))
    learning_rate = Field(0.5, control=Number(min=0.0001, max=10))
    model = Transmitter("model")
    loss = Transmitter("float")

    def run(self):
        features = self.features or numeric_columns(self.rows, self.target)
        columns = [[float(row[name]) for row in self.rows] for name in features]
        means = [statistics.fmean(column) for column in columns]
        scales = [statistics.pstdev(column) or 1.0 for column in columns]
        matrix = [
            [(float(row[name]) - mean) / scale for name, mean, scale in zip(features, means, scales)]
            for row in self.rows
        ]
        labels = [row[self.target] for row in self.rows]
        classes = sorted(set(labels), key=str)
        weights, losses = [], []
        for name in classes:
            targets = [1.0 if label == name else 0.0 for label in labels]
            fitted, loss = self.fit(matrix, targets, f"loss of {name}"[:200])
            weights.append(fitted)
            losses.append(loss)
        self.log.info("%d classes, loss %.4f", len(classes), statistics.fmean(losses))
        self.loss.send(statistics.fmean(losses))
        self.model.send(
            {
                "type": "logistic",
                "target": self.target,
                "features": features,
                "means": means,
                "scales": scales,
                "classes": classes,
                "weights": weights,
            }
        )

    def fit(self, matrix, targets, metric):
        weights = [0.0] * (len(matrix[0]) + 1)
        rate = self.learning_rate / len(matrix)
        loss = 0.0
        for _epoch in range(self.epochs):
            gradient, loss = [0.0] * len(weights), 0.0
            for row, target in zip(matrix, targets):
                chance = sigmoid(weights[0] + sum(w * x for w, x in zip(weights[1:], row)))
                loss -= math.log(max(1e-12, chance if target else 1 - chance))
                error = chance - target
                gradient[0] += error
                for at, x in enumerate(row, 1):
                    gradient[at] += error * x
            log_metric(metric, loss / len(matrix))
            weights = [weight - rate * slope for weight, slope in zip(weights, gradient)]
        return weights, loss / len(matrix)


def sigmoid(value):
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))


def numeric_columns(rows, target):
    if not rows:
        raise ValueError("There are no rows to learn from.")
    return [name for name, value in rows[0].items() if name != target and isinstance(value, (int, float))]
