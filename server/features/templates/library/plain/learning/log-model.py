import json

from miranda import Field, Node, Receiver, Text, Transmitter, log_model


class LogModel(Node):
    """Adds a model with its metrics to the model list."""

    model = Receiver("model")
    metrics = Receiver("json")
    name = Field("My model", control=Text())
    logged = Transmitter("string")
    cache = False

    def run(self):
        log_model(self.name, metrics=self.metrics or {}, artifact=json.dumps(self.model).encode())
        self.logged.send(self.name)
