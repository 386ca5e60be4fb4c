# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import pandas

from miranda import Field, Json, Node, Receiver, Text, Transmitter

PARTS = ["year", "month", "day", "hour", "dayofweek", "dayofyear", "quarter"]


class DateParts(Node):
    """Adds columns for the parts of a date: month, day of the week, hour and so on."""

    table = Receiver("dataframe")
    column = Field("", control=Text(placeholder="the first date"))
    parts = Field(["month", "dayofweek", "hour"], control=Json())
    widened = Transmitter("dataframe")

    def run(self):
        unknown = [part for part in self.parts if part not in PARTS]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no part of a date. Parts are {', '.join(PARTS)}.")
        dates = list(self.table.select_dtypes("datetime").columns)
        if not self.column and not dates:
            raise ValueError("The table has no column of dates. Name the column.")
        column = self.column or dates[0]
        date = pandas.to_datetime(self.table[column]).dt
        self.widened.send(self.table.assign(**{f"{column}_{part}": getattr(date, part) for part in self.parts}))
