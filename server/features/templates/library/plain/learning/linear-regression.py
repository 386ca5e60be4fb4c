from miranda import Field, Json, Node, Number, Receiver, Text, Transmitter


class LinearRegression(Node):
    """Fits a linear model by least squares. Without features it uses every other numeric column."""

    rows = Receiver("table")
    target = Field("y", control=Text())
    features = Field([], control=Json())
    ridge = Field(0.0, control=Number(min=0))
    model = Transmitter("model")

    def run(self):
        features = self.features or numeric_columns(self.rows, self.target)
        matrix = [[1.0, *(float(row[name]) for name in features)] for row in self.rows]
        targets = [float(row[self.target]) for row in self.rows]
        size = len(features) + 1
        # The normal equations; ridge keeps them solvable when features depend on each other.
        left = [
            [sum(row[i] * row[j] for row in matrix) + (self.ridge if i == j and i > 0 else 0.0) for j in range(size)]
            for i in range(size)
        ]
        right = [sum(row[i] * target for row, target in zip(matrix, targets)) for i in range(size)]
        intercept, *weights = solve(left, right)
        self.log.info("intercept %.4g, weights %s", intercept, dict(zip(features, weights)))
        self.model.send(
            {"type": "linear", "target": self.target, "features": features, "intercept": intercept, "weights": weights}
        )


def numeric_columns(rows, target):
    if not rows:
        raise ValueError("There are no rows to learn from.")
    return [name for name, value in rows[0].items() if name != target and isinstance(value, (int, float))]


def solve(left, right):
    """Gaussian elimination with the largest pivot first."""
    rows = [[*row, value] for row, value in zip(left, right)]
    size = len(rows)
    for at in range(size):
        best = max(range(at, size), key=lambda index: abs(rows[index][at]))
        if abs(rows[best][at]) < 1e-12:
            raise ValueError("The features depend on each other. Choose fewer, or set ridge above 0.")
        rows[at], rows[best] = rows[best], rows[at]
        for index in range(size):
            if index != at:
                factor = rows[index][at] / rows[at][at]
                rows[index] = [one - factor * other for one, other in zip(rows[index], rows[at])]
    return [rows[at][size] / rows[at][at] for at in range(size)]
