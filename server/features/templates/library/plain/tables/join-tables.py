from miranda import Field, Node, Receiver, Select, Text, Transmitter


class JoinTables(Node):
    """Joins two tables on a column that both have."""

    left = Receiver("table")
    right = Receiver("table")
    column = Field("id", control=Text())
    keep = Field("rows in both", control=Select("rows in both", "all left rows", "all rows"))
    joined = Transmitter("table")

    def run(self):
        by_key = {}
        for row in self.right:
            by_key.setdefault(row.get(self.column), []).append(row)
        joined, met = [], set()
        for row in self.left:
            key = row.get(self.column)
            met.add(key)
            matches = by_key.get(key, [])
            joined.extend({**match, **row} for match in matches)
            if not matches and self.keep != "rows in both":
                joined.append(row)
        if self.keep == "all rows":
            joined.extend(row for key, rows in by_key.items() if key not in met for row in rows)
        self.log.info("%d rows", len(joined))
        self.joined.send(joined)
