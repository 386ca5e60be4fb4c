# /// script
# dependencies = ["pandas>=2.2,<4", "torch>=2.4,<3", "matplotlib>=3.9,<4"]
# ///
import pandas
import torch
from matplotlib.figure import Figure

from miranda import Field, Json, Node, Number, Receiver, Slider, Text, Transmitter, log_metric, progress


class TorchClassifier(Node):
    """Heavy: installs PyTorch (about 1 GB). Trains a small neural network for classes and draws its loss."""

    table = Receiver("dataframe")
    target = Field("", control=Text(placeholder="the last column"))
    layers = Field([32, 16], control=Json())
    epochs = Field(100, control=Slider(1, 1000))
    learning_rate = Field(0.01, control=Number(min=0.00001))
    seed = Field(7)
    predicted = Transmitter("dataframe")
    metrics = Transmitter("json")

    def run(self):
        torch.manual_seed(self.seed)
        target = self.target or self.table.columns[-1]
        known = self.table.dropna()
        numbers = known.drop(columns=target).select_dtypes("number")
        truth, names = pandas.factorize(known[target], sort=True)
        scaled = (numbers - numbers.mean()) / numbers.std().replace(0, 1)
        inputs = torch.tensor(scaled.to_numpy(), dtype=torch.float32)
        wanted = torch.tensor(truth, dtype=torch.long)
        network = self.build(inputs.shape[1], len(names))
        optimiser = torch.optim.Adam(network.parameters(), lr=self.learning_rate)
        losses = []
        for epoch in range(self.epochs):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(inputs), wanted)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            log_metric("loss", losses[-1], epoch)
            progress(epoch + 1, self.epochs, "epochs")
        with torch.no_grad():
            guess = network(inputs).argmax(dim=1).numpy()
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.plot(losses)
        axes.set(xlabel="epoch", ylabel="loss")
        self.show(figure)
        self.predicted.send(known.assign(prediction=[names[at] for at in guess]))
        self.metrics.send({"accuracy": float((guess == truth).mean()), "loss": losses[-1]})

    def build(self, width, classes):
        parts = []
        for size in self.layers:
            parts += [torch.nn.Linear(width, size), torch.nn.ReLU()]
            width = size
        return torch.nn.Sequential(*parts, torch.nn.Linear(width, classes))
