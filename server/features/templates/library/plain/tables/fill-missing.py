import statistics

from miranda import Field, Node, Receiver, Select, Text, Transmitter


class FillMissing(Node):
    """Fills empty cells of a column, or drops the rows that have one."""

    rows = Receiver("table")
    column = Field("value", control=Text())
    how = Field("mean", control=Select("mean", "median", "most frequent", "value", "drop the row"))
    value = Field("0", control=Text(), shown_when={"how": [{"value": "value"}]})
    filled = Transmitter("table")

    def run(self):
        known = [row[self.column] for row in self.rows if not is_missing(row.get(self.column))]
        if self.how == "drop the row":
            self.filled.send([row for row in self.rows if not is_missing(row.get(self.column))])
            return
        fill = self.value if self.how == "value" or not known else AVERAGES[self.how](known)
        rows = [{**row, self.column: fill} if is_missing(row.get(self.column)) else row for row in self.rows]
        self.log.info("%d cells filled with %s", len(self.rows) - len(known), fill)
        self.filled.send(rows)


AVERAGES = {"mean": statistics.fmean, "median": statistics.median, "most frequent": statistics.mode}


def is_missing(value):
    return value is None or value == "" or value != value
