# /// script
# dependencies = ["pandas>=2.2,<4", "matplotlib>=3.9,<4"]
# ///
from matplotlib.figure import Figure

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class TrendAndSeason(Node):
    """Takes a series apart: a slow trend, a season that repeats, and the rest."""

    table = Receiver("dataframe")
    time = Field("", control=Text(placeholder="the first date"))
    column = Field("", control=Text(placeholder="the last number"))
    period = Field(7, control=Slider(2, 366))
    parts = Transmitter("dataframe")

    def run(self):
        time = time_column(self.table, self.time)
        column = self.column or self.table.select_dtypes("number").columns[-1]
        table = self.table[[time, column]].sort_values(time, ignore_index=True)
        if len(table) < 2 * self.period:
            raise ValueError(f"A period of {self.period} rows needs at least {2 * self.period} rows.")
        trend = table[column].rolling(self.period, center=True, min_periods=self.period // 2 + 1).mean()
        without = table[column] - trend
        season = without.groupby(table.index % self.period).transform("mean")
        parts = table.assign(trend=trend, season=season - season.mean(), rest=without - season + season.mean())
        figure = Figure(figsize=(7.2, 5.4), layout="constrained")
        for axes, name in zip(figure.subplots(4, 1, sharex=True), [column, "trend", "season", "rest"]):
            axes.plot(parts[time], parts[name], linewidth=0.9)
            axes.set_ylabel(name)
        figure.autofmt_xdate()
        self.show(figure)
        self.parts.send(parts)


def time_column(table, named):
    dates = list(table.select_dtypes("datetime").columns)
    if not named and not dates:
        raise ValueError("The table has no column of dates. Name the column.")
    return named or dates[0]
