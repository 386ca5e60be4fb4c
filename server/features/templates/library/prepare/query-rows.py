# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Code, Field, Node, Receiver, Transmitter


class QueryRows(Node):
    """Keeps the rows for which a condition holds, such as price > 100 and country == "Spain"."""

    table = Receiver("dataframe")
    condition = Field("index >= 0", control=Code("python"))
    kept = Transmitter("dataframe")
    dropped = Transmitter("dataframe")

    def run(self):
        kept = self.table.query(self.condition)
        self.log.info("%d of %d rows kept", len(kept), len(self.table))
        self.kept.send(kept)
        self.dropped.send(self.table.drop(kept.index))
