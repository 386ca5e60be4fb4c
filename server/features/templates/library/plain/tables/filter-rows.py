from miranda import Field, Node, Receiver, Select, Text, Transmitter

TESTS = {
    "=": lambda one, other: one == other,
    "≠": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "≤": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    "≥": lambda one, other: one >= other,
    "contains": lambda one, other: str(other) in str(one),
}


class FilterRows(Node):
    """Keeps the rows whose column passes a test; the others go out by the second door."""

    rows = Receiver("table")
    column = Field("value", control=Text())
    test = Field(">", control=Select("=", "≠", "<", "≤", ">", "≥", "contains"))
    value = Field("0", control=Text())
    kept = Transmitter("table")
    dropped = Transmitter("table")

    def run(self):
        passes = TESTS[self.test]
        kept, dropped = [], []
        for row in self.rows:
            one, other = comparable(row.get(self.column), self.value)
            (kept if passes(one, other) else dropped).append(row)
        self.log.info("%d kept, %d dropped", len(kept), len(dropped))
        self.kept.send(kept)
        self.dropped.send(dropped)


def comparable(one, other):
    """As numbers where both are, else as text."""
    try:
        return float(one), float(other)
    except (TypeError, ValueError):
        return str(one), str(other)
