# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Node, Receiver, Transmitter


class RowsToTable(Node):
    """Makes a pandas table of a list of rows, as the nodes of plain Python send it."""

    rows = Receiver("any")
    table = Transmitter("dataframe")

    def run(self):
        self.table.send(pandas.DataFrame(self.rows))
