# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Node, Receiver, Transmitter


class DescribeTable(Node):
    """Sums up every column: type, empty cells, different values, mean, smallest and largest."""

    table = Receiver("dataframe")
    summary = Transmitter("dataframe")

    def run(self):
        numbers = self.table.select_dtypes("number")
        summary = pandas.DataFrame(
            {
                "column": self.table.columns.astype(str),
                "type": self.table.dtypes.astype(str).to_numpy(),
                "empty": self.table.isna().sum().to_numpy(),
                "different": self.table.nunique().to_numpy(),
            },
            index=self.table.columns,
        )
        for name in ("mean", "std", "min", "median", "max"):
            summary[name] = numbers.agg(name).round(3) if numbers.shape[1] else None
        summary = summary.reset_index(drop=True)
        self.show(summary)
        self.summary.send(summary)
