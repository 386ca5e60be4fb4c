from miranda import Field, Node, Number, Receiver, Text, Toggle, Transmitter


class SortRows(Node):
    """Sorts a table by a column, and can keep the first rows only."""

    rows = Receiver("table")
    column = Field("value", control=Text())
    descending = Field(False, control=Toggle())
    first = Field(0, control=Number(min=0, step=1))
    sorted = Transmitter("table")

    def run(self):
        rows = sorted(self.rows, key=lambda row: order(row.get(self.column)), reverse=self.descending)
        self.sorted.send(rows[: self.first] if self.first else rows)


def order(value):
    """Numbers before texts before nothing, so that mixed columns can be sorted at all."""
    if isinstance(value, (int, float)):
        return (0, value, "")
    return (2, 0, "") if value is None else (1, 0, str(value))
