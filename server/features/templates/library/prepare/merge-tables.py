# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Select, Transmitter

WAYS = {"rows in both": "inner", "all left rows": "left", "all right rows": "right", "all rows": "outer"}


class MergeTables(Node):
    """Joins two tables on the columns that you name, or on those that both have."""

    left = Receiver("dataframe")
    right = Receiver("dataframe")
    columns = Field([], control=Json())
    keep = Field("rows in both", control=Select("rows in both", "all left rows", "all right rows", "all rows"))
    merged = Transmitter("dataframe")

    def run(self):
        columns = self.columns or [name for name in self.left.columns if name in self.right.columns]
        if not columns:
            raise ValueError("The two tables have no column in common. Name the columns to join on.")
        merged = self.left.merge(self.right, how=WAYS[self.keep], on=columns)
        self.log.info("%d rows", len(merged))
        self.merged.send(merged)
