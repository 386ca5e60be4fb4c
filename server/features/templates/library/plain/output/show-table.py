import html

from miranda import Field, Json, Node, Receiver, Slider, Transmitter


class ShowTable(Node):
    """Shows the first rows of a table on the node: all columns, or the ones you name."""

    rows = Receiver("table")
    most = Field(20, control=Slider(1, 500))
    columns = Field([], control=Json())
    same = Transmitter("table")

    def run(self):
        columns = self.columns or list(dict.fromkeys(name for row in self.rows[: self.most] for name in row))
        self.show(Table(columns, self.rows[: self.most], len(self.rows)))
        self.same.send(self.rows)


class Table:
    def __init__(self, columns, rows, total):
        self.columns, self.rows, self.total = columns, rows, total

    def __repr__(self):
        return f"{self.total} rows: {', '.join(map(str, self.columns))}"

    def _repr_html_(self):
        head = "".join(f"<th>{html.escape(str(name))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell(row.get(name, '')))}</td>" for name in self.columns) + "</tr>"
            for row in self.rows
        )
        return f"<table><caption>{self.total} rows</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
