# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Select, Text, Transmitter


class GroupTable(Node):
    """Groups rows and computes one number for each group, the largest first."""

    table = Receiver("dataframe")
    by = Field([], control=Json())
    column = Field("", control=Text(placeholder="the last number"))
    function = Field("sum", control=Select("sum", "mean", "median", "min", "max", "count", "nunique", "std"))
    groups = Transmitter("dataframe")

    def run(self):
        by = self.by or [self.table.select_dtypes(exclude="number").columns[0]]
        column = self.column or self.table.select_dtypes("number").columns[-1]
        grouped = self.table.groupby(by, observed=True)[column].agg(self.function)
        name = f"{column}_{self.function}"
        self.groups.send(grouped.rename(name).sort_values(ascending=False).reset_index())
