# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Toggle, Transmitter


class ChooseColumns(Node):
    """Keeps the columns that you name, in your order, or drops them instead."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    drop = Field(False, control=Toggle())
    chosen = Transmitter("dataframe")

    def run(self):
        missing = [name for name in self.columns if name not in self.table.columns]
        if missing:
            raise ValueError(
                f"The table has no column {missing[0]!r}. It has {', '.join(map(str, self.table.columns))}."
            )
        if self.drop:
            self.chosen.send(self.table.drop(columns=self.columns))
        else:
            self.chosen.send(self.table[self.columns] if self.columns else self.table)
