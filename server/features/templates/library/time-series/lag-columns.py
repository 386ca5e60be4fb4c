# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
from miranda import Field, Json, Node, Receiver, Text, Transmitter


class LagColumns(Node):
    """Adds what a column was some rows ago, so that a model can learn from the past."""

    table = Receiver("dataframe")
    time = Field("", control=Text(placeholder="the first date"))
    column = Field("", control=Text(placeholder="the last number"))
    lags = Field([1, 2, 7], control=Json())
    lagged = Transmitter("dataframe")

    def run(self):
        time = time_column(self.table, self.time)
        column = self.column or self.table.select_dtypes("number").columns[-1]
        table = self.table.sort_values(time, ignore_index=True)
        lags = {f"{column}_{lag}_ago": table[column].shift(int(lag)) for lag in self.lags}
        # What a model predicts is the last column, and stays it.
        order = [name for name in table.columns if name != column]
        lagged = table.assign(**lags)[[*order, *lags, column]]
        self.lagged.send(lagged.dropna(subset=list(lags), ignore_index=True))


def time_column(table, named):
    dates = list(table.select_dtypes("datetime").columns)
    if not named and not dates:
        raise ValueError("The table has no column of dates. Name the column.")
    return named or dates[0]
