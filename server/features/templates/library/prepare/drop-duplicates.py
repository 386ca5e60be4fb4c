# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Select, Transmitter


class DropDuplicates(Node):
    """Removes rows that repeat another one, in all columns or in those that you name."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    keep = Field("first", control=Select("first", "last"))
    unique = Transmitter("dataframe")

    def run(self):
        unique = self.table.drop_duplicates(subset=self.columns or None, keep=self.keep, ignore_index=True)
        self.log.info("%d duplicates removed", len(self.table) - len(unique))
        self.unique.send(unique)
