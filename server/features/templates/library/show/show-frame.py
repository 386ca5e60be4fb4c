# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Node, Number, Receiver, Transmitter


class ShowFrame(Node):
    """Shows the first rows of a table on the node and hands the table on."""

    table = Receiver("dataframe")
    rows = Field(100, control=Number(min=1, max=1000, step=1))
    same = Transmitter("dataframe")

    def run(self):
        self.log.info("%d rows, %d columns", *self.table.shape)
        self.show(self.table.head(self.rows))
        self.same.send(self.table)
