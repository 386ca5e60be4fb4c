# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import io

import pandas

from miranda import Field, Node, Text, Transmitter


class TypedTable(Node):
    """A small table that you type or paste as CSV text."""

    text = Field("city,people,area\nOslo,709,454\nRome,2755,1285\nLima,10092,2672\n", control=Text(multiline=True))
    table = Transmitter("dataframe")

    def run(self):
        self.table.send(pandas.read_csv(io.StringIO(self.text), sep=None, engine="python", skipinitialspace=True))
