# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class SplitByTime(Node):
    """Splits a series into the past to learn from and the future to test with. Nothing is shuffled."""

    table = Receiver("dataframe")
    time = Field("", control=Text(placeholder="the first date"))
    test_share = Field(0.2, control=Slider(0.05, 0.9, 0.05))
    train = Transmitter("dataframe")
    test = Transmitter("dataframe")

    def run(self):
        time = time_column(self.table, self.time)
        table = self.table.sort_values(time, ignore_index=True)
        at = max(1, min(len(table) - 1, round(len(table) * (1 - self.test_share))))
        self.log.info("the future begins at %s", table[time].iloc[at])
        self.train.send(table.iloc[:at])
        self.test.send(table.iloc[at:])


def time_column(table, named):
    dates = list(table.select_dtypes("datetime").columns)
    if not named and not dates:
        raise ValueError("The table has no column of dates. Name the column.")
    return named or dates[0]
