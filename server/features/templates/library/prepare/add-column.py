# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Code, Field, Node, Receiver, Text, Transmitter


class AddColumn(Node):
    """Computes a new column from others, such as amount / quantity."""

    table = Receiver("dataframe")
    name = Field("row", control=Text())
    expression = Field("index + 1", control=Code("python"))
    widened = Transmitter("dataframe")

    def run(self):
        self.widened.send(self.table.assign(**{self.name: self.table.eval(self.expression)}))
