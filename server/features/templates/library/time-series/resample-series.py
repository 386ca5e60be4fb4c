# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, Node, Receiver, Select, Text, Transmitter

STEPS = {"hour": "h", "day": "D", "week": "W", "month": "MS", "year": "YS"}


class ResampleSeries(Node):
    """Brings measurements to a regular step: one row for each hour, day, week, month or year."""

    table = Receiver("dataframe")
    time = Field("", control=Text(placeholder="the first date"))
    step = Field("day", control=Select("hour", "day", "week", "month", "year"))
    function = Field("mean", control=Select("mean", "sum", "min", "max", "last", "count"))
    resampled = Transmitter("dataframe")

    def run(self):
        time = time_column(self.table, self.time)
        table = self.table.assign(**{time: pandas.to_datetime(self.table[time])}).set_index(time)
        numbers = table.select_dtypes(["number", "bool"])
        self.resampled.send(numbers.resample(STEPS[self.step]).agg(self.function).round(4).reset_index())


def time_column(table, named):
    dates = list(table.select_dtypes("datetime").columns)
    if not named and not dates:
        raise ValueError("The table has no column of dates. Name the column.")
    return named or dates[0]
