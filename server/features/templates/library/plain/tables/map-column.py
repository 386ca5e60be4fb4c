import math

from miranda import Field, Node, Receiver, Text, Transmitter


class MapColumn(Node):
    """Computes a column from each row. The expression sees value (the column), row, and the math module."""

    rows = Receiver("table")
    column = Field("value", control=Text())
    expression = Field("value * 2", control=Text(placeholder="math.log(value)"))
    into = Field("", control=Text(placeholder="the same column"))
    mapped = Transmitter("table")

    def run(self):
        compute = compile(self.expression, "expression", "eval")
        into = self.into or self.column
        mapped = []
        for row in self.rows:
            value = eval(compute, {"math": math, "row": row, "value": row.get(self.column)})
            mapped.append({**row, into: value})
        self.mapped.send(mapped)
