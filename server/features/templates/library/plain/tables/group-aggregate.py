import statistics

from miranda import Field, Node, Receiver, Select, Text, Transmitter

FUNCTIONS = {
    "count": len,
    "sum": sum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "smallest": min,
    "largest": max,
}


class GroupAggregate(Node):
    """Groups rows by a column and computes one number per group."""

    rows = Receiver("table")
    by = Field("name", control=Text())
    function = Field("sum", control=Select("count", "sum", "mean", "median", "smallest", "largest"))
    column = Field("value", control=Text())
    groups = Transmitter("table")

    def run(self):
        values = {}
        for row in self.rows:
            values.setdefault(row.get(self.by), []).append(row.get(self.column))
        compute = FUNCTIONS[self.function]
        known = {key: [v for v in column if v is not None and v != ""] for key, column in values.items()}
        self.groups.send(
            [
                {self.by: key, self.function: compute(column) if column or self.function in ("count", "sum") else None}
                for key, column in known.items()
            ]
        )
