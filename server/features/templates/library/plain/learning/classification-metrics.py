from miranda import Field, Node, Receiver, Text, Transmitter


class ClassificationMetrics(Node):
    """Compares predicted classes with true ones: accuracy, and precision and recall averaged over the classes."""

    rows = Receiver("table")
    truth = Field("label", control=Text())
    prediction = Field("prediction", control=Text())
    metrics = Transmitter("json")
    confusion = Transmitter("table")

    def run(self):
        if not self.rows:
            raise ValueError("There are no rows to compare.")
        pairs = [(row[self.truth], row[self.prediction]) for row in self.rows]
        classes = sorted({name for pair in pairs for name in pair}, key=str)
        precisions, recalls = [], []
        for name in classes:
            hits = sum(truth == name == guess for truth, guess in pairs)
            precisions.append(hits / max(1, sum(guess == name for _truth, guess in pairs)))
            recalls.append(hits / max(1, sum(truth == name for truth, _guess in pairs)))
        metrics = {
            "accuracy": sum(truth == guess for truth, guess in pairs) / len(pairs),
            "precision": sum(precisions) / len(classes),
            "recall": sum(recalls) / len(classes),
        }
        self.log.info("%s", metrics)
        self.show(metrics)
        self.metrics.send(metrics)
        self.confusion.send(
            [{"truth": one, **{str(other): pairs.count((one, other)) for other in classes}} for one in classes]
        )
