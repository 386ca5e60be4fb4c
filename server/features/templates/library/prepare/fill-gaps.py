# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Select, Text, Transmitter


class FillGaps(Node):
    """Fills the empty cells of a table, or drops the rows that have one."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    how = Field(
        "median", control=Select("median", "mean", "most frequent", "the value before", "a value", "drop the row")
    )
    value = Field("0", control=Text(), shown_when={"how": [{"value": "a value"}]})
    filled = Transmitter("dataframe")

    def run(self):
        table = self.table.copy()
        columns = self.columns or list(table.columns)
        self.log.info("%d empty cells", int(table[columns].isna().sum().sum()))
        if self.how == "drop the row":
            self.filled.send(table.dropna(subset=columns, ignore_index=True))
            return
        for name in columns:
            if table[name].isna().any():
                table[name] = self.fill(table[name])
        self.filled.send(table)

    def fill(self, column):
        is_number = column.dtype.kind in "iuf"
        if self.how == "the value before":
            return column.ffill().bfill()
        if self.how == "a value":
            return column.fillna(float(self.value) if is_number else self.value)
        if self.how == "most frequent" or not is_number:
            return column.fillna(column.mode().iloc[0]) if column.notna().any() else column
        return column.fillna(column.median() if self.how == "median" else column.mean())
