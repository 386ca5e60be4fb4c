# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Node, Number, Receiver, Toggle, Transmitter


class SampleRows(Node):
    """Takes some rows of a table, drawn by chance or from the top."""

    table = Receiver("dataframe")
    rows = Field(100, control=Number(min=1, step=1))
    by_chance = Field(True, control=Toggle())
    seed = Field(7)
    sampled = Transmitter("dataframe")

    def run(self):
        if self.by_chance and self.rows < len(self.table):
            self.sampled.send(self.table.sample(self.rows, random_state=self.seed))
        else:
            self.sampled.send(self.table.head(self.rows))
