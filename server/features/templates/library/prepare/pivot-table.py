# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Node, Receiver, Select, Text, Transmitter


class PivotTable(Node):
    """Makes a cross table: one row for each value of a column, one column for each value of another."""

    table = Receiver("dataframe")
    rows = Field("", control=Text(placeholder="column"))
    columns = Field("", control=Text(placeholder="column"))
    values = Field("", control=Text(placeholder="column"))
    function = Field("sum", control=Select("sum", "mean", "median", "min", "max", "count"))
    pivoted = Transmitter("dataframe")

    def run(self):
        pivoted = self.table.pivot_table(
            index=self.rows, columns=self.columns, values=self.values, aggfunc=self.function, observed=True
        )
        pivoted.columns = [str(name) for name in pivoted.columns]
        self.pivoted.send(pivoted.fillna(0).reset_index())
