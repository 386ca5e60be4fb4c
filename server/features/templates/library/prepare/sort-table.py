# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Number, Receiver, Toggle, Transmitter


class SortTable(Node):
    """Sorts a table by one or more columns, and can keep the first rows only."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    descending = Field(False, control=Toggle())
    first = Field(0, control=Number(min=0, step=1))
    ordered = Transmitter("dataframe")

    def run(self):
        columns = self.columns or [self.table.columns[-1]]
        ordered = self.table.sort_values(columns, ascending=not self.descending, ignore_index=True)
        self.ordered.send(ordered.head(self.first) if self.first else ordered)
