# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Text, Transmitter


class UnpivotTable(Node):
    """Turns columns into rows: one row for each cell, with the name of its column."""

    table = Receiver("dataframe")
    keep = Field([], control=Json())
    name_column = Field("name", control=Text())
    value_column = Field("value", control=Text())
    long = Transmitter("dataframe")

    def run(self):
        self.long.send(self.table.melt(id_vars=self.keep, var_name=self.name_column, value_name=self.value_column))
