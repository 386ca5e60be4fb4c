# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, Node, Receiver, Toggle, Transmitter


class StackTables(Node):
    """Puts the rows of a second table below those of a first."""

    upper = Receiver("dataframe")
    lower = Receiver("dataframe")
    common_columns_only = Field(False, control=Toggle())
    stacked = Transmitter("dataframe")

    def run(self):
        join = "inner" if self.common_columns_only else "outer"
        self.stacked.send(pandas.concat([self.upper, self.lower], join=join, ignore_index=True))
