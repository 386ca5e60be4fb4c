# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, Json, Node, Number, Receiver, Transmitter


class OneHotColumns(Node):
    """Turns columns of words into columns of zeros and ones, one for each word."""

    table = Receiver("dataframe")
    columns = Field([], control=Json())
    most_values = Field(30, control=Number(min=2, max=1000, step=1))
    encoded = Transmitter("dataframe")

    def run(self):
        columns = self.columns or [
            name
            for name in self.table.select_dtypes(exclude=["number", "datetime", "bool"]).columns
            if self.table[name].nunique() <= self.most_values
        ]
        self.log.info("encoded: %s", ", ".join(map(str, columns)) or "nothing")
        self.encoded.send(pandas.get_dummies(self.table, columns=columns, dtype=int))
