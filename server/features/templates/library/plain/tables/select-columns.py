from miranda import Field, Json, Node, Receiver, Transmitter


class SelectColumns(Node):
    """Keeps some columns of a table, in the order given. A pair such as ["old", "new"] renames one."""

    rows = Receiver("table")
    columns = Field(["name", ["value", "amount"]], control=Json())
    selected = Transmitter("table")

    def run(self):
        pairs = [(part, part) if isinstance(part, str) else tuple(part) for part in self.columns]
        self.selected.send([{new: row.get(old) for old, new in pairs} for row in self.rows])
