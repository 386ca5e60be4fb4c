import random

from miranda import Constant, Field, Node, Receiver, Slider, Transmitter


class SplitTrainTest(Node):
    """Shuffles rows and splits them into a part to learn from and a part to test with."""

    rows = Receiver("table")
    test_share = Field(0.25, control=Slider(0.05, 0.95, 0.05))
    seed = Field(42)
    train = Transmitter("table")
    test = Transmitter("table")
    default_seed = Constant(42)

    def run(self):
        rows = list(self.rows)
        random.Random(self.seed).shuffle(rows)
        size = round(len(rows) * self.test_share)
        self.log.info("%d to learn from, %d to test with", len(rows) - size, size)
        self.train.send(rows[size:])
        self.test.send(rows[:size])
