from miranda import Field, Node, Receiver, Text, Transmitter


class Predict(Node):
    """Applies a model to rows and adds what it predicts as a column."""

    model = Receiver("model")
    rows = Receiver("table")
    into = Field("prediction", control=Text())
    predicted = Transmitter("table")

    def run(self):
        predict = PREDICTORS[self.model["type"]]
        self.predicted.send([{**row, self.into: predict(self.model, row)} for row in self.rows])


def linear(model, row):
    return model["intercept"] + sum(w * float(row[name]) for w, name in zip(model["weights"], model["features"]))


def logistic(model, row):
    scaled = [
        (float(row[name]) - mean) / scale
        for name, mean, scale in zip(model["features"], model["means"], model["scales"])
    ]
    scores = [weights[0] + sum(w * x for w, x in zip(weights[1:], scaled)) for weights in model["weights"]]
    return model["classes"][scores.index(max(scores))]


def tree(model, row):
    at = model["tree"]
    while "feature" in at:
        at = at["low"] if row[at["feature"]] <= at["limit"] else at["high"]
    return at["label"]


PREDICTORS = {"linear": linear, "logistic": logistic, "tree": tree}
