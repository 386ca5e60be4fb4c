# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
import pickle

from miranda import Field, Node, Receiver, Text, Transmitter, log_model


class SaveModel(Node):
    """Adds a trained model with its metrics to the model list. Its file is a pickle of scikit-learn."""

    model = Receiver("model")
    metrics = Receiver("json")
    name = Field("My model", control=Text())
    saved = Transmitter("string")

    def run(self):
        metrics = {key: value for key, value in (self.metrics or {}).items() if isinstance(value, (int, float))}
        log_model(self.name, metrics=metrics, artifact=pickle.dumps(self.model))
        self.log.info("%s: %s", self.name, metrics)
        self.saved.send(self.name)
