# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2"]
# ///
from sklearn.model_selection import train_test_split

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class SplitTable(Node):
    """Splits rows by chance into a part to learn from and a part to test with."""

    table = Receiver("dataframe")
    test_share = Field(0.25, control=Slider(0.05, 0.9, 0.05))
    balance_by = Field("", control=Text(placeholder="a column with classes"))
    seed = Field(7)
    train = Transmitter("dataframe")
    test = Transmitter("dataframe")

    def run(self):
        stratify = self.table[self.balance_by] if self.balance_by else None
        train, test = train_test_split(self.table, test_size=self.test_share, random_state=self.seed, stratify=stratify)
        self.log.info("%d rows to learn from, %d to test with", len(train), len(test))
        self.train.send(train)
        self.test.send(test)
