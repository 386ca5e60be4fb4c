from collections import Counter

from miranda import Field, Json, Node, Receiver, Slider, Text, Transmitter


class DecisionTree(Node):
    """Learns a tree of yes-or-no questions about numeric columns. With a depth of 1 it is a single question."""

    rows = Receiver("table")
    target = Field("label", control=Text())
    features = Field([], control=Json())
    depth = Field(3, control=Slider(1, 12))
    smallest_leaf = Field(2, control=Slider(1, 50))
    model = Transmitter("model")

    def run(self):
        if not self.rows:
            raise ValueError("There are no rows to learn from.")
        features = self.features or [
            name for name, value in self.rows[0].items() if name != self.target and isinstance(value, (int, float))
        ]
        tree = self.grow(self.rows, features, self.depth)
        self.model.send({"type": "tree", "target": self.target, "features": features, "tree": tree})

    def grow(self, rows, features, depth):
        labels = Counter(row[self.target] for row in rows)
        leaf = {"label": labels.most_common(1)[0][0], "rows": len(rows)}
        if depth == 0 or len(labels) == 1:
            return leaf
        found = min(self.splits(rows, features), key=lambda split: split[0], default=None)
        if found is None or found[0] >= impurity(labels) - 1e-9:
            return leaf
        _score, feature, limit = found
        low = [row for row in rows if row[feature] <= limit]
        high = [row for row in rows if row[feature] > limit]
        return {
            "feature": feature,
            "limit": limit,
            "low": self.grow(low, features, depth - 1),
            "high": self.grow(high, features, depth - 1),
        }

    def splits(self, rows, features):
        for feature in features:
            ordered = sorted(rows, key=lambda row: row[feature])
            low, high = Counter(), Counter(row[self.target] for row in ordered)
            for at, (row, following) in enumerate(zip(ordered, ordered[1:]), 1):
                low[row[self.target]] += 1
                high[row[self.target]] -= 1
                if row[feature] == following[feature] or min(at, len(rows) - at) < self.smallest_leaf:
                    continue
                score = (at * impurity(low) + (len(rows) - at) * impurity(high)) / len(rows)
                yield score, feature, (row[feature] + following[feature]) / 2


def impurity(labels):
    """Gini's: the chance that two rows drawn at random differ."""
    total = sum(labels.values())
    return 1 - sum((count / total) ** 2 for count in labels.values())
