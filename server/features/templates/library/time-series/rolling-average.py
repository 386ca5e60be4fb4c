# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text, Toggle, Transmitter


class RollingAverage(Node):
    """Smooths a column by the mean of the rows around each row, and draws both."""

    table = Receiver("dataframe")
    time = Field("", control=Text(placeholder="the first date"))
    column = Field("", control=Text(placeholder="the last number"))
    rows = Field(7, control=Slider(2, 500))
    centred = Field(True, control=Toggle())
    smoothed = Transmitter("dataframe")

    def run(self):
        time = time_column(self.table, self.time)
        column = self.column or self.table.select_dtypes("number").columns[-1]
        table = self.table.sort_values(time, ignore_index=True)
        table[f"{column}_smooth"] = table[column].rolling(self.rows, center=self.centred, min_periods=1).mean().round(4)
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.plot(table[time], table[column], linewidth=0.7, alpha=0.5, label=column)
        axes.plot(table[time], table[f"{column}_smooth"], linewidth=1.8, label=f"mean of {self.rows}")
        axes.legend()
        figure.autofmt_xdate()
        self.show(figure)
        self.smoothed.send(table)


def time_column(table, named):
    dates = list(table.select_dtypes("datetime").columns)
    if not named and not dates:
        raise ValueError("The table has no column of dates. Name the column.")
    return named or dates[0]
