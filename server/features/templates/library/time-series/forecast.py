# /// script
# dependencies = ["pandas>=2.2,<4", "scikit-learn>=1.5,<2", "matplotlib>=3.9,<4"]
# ///
import numpy
import pandas
from matplotlib.figure import Figure
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class Forecast(Node):
    """Continues a regular series: learns from its last values, its trend and its season, and draws what comes next."""

    table = Receiver("dataframe")
    time = Field("", control=Text(placeholder="the first date"))
    column = Field("", control=Text(placeholder="the last number"))
    ahead = Field(30, control=Slider(1, 500))
    memory = Field(14, control=Slider(1, 100))
    period = Field(365, control=Slider(2, 1000))
    forecast = Transmitter("dataframe")

    def run(self):
        time = time_column(self.table, self.time)
        column = self.column or self.table.select_dtypes("number").columns[-1]
        table = self.table[[time, column]].dropna().sort_values(time, ignore_index=True)
        values = table[column].to_numpy(dtype=float)
        if len(values) < 3 * self.memory:
            raise ValueError(f"A memory of {self.memory} rows needs at least {3 * self.memory} rows.")
        places = range(self.memory, len(values))
        model = make_pipeline(StandardScaler(), Ridge(1.0))
        model.fit([self.features(values, at) for at in places], values[self.memory :])
        error = float(numpy.std(values[self.memory :] - model.predict([self.features(values, at) for at in places])))
        for _ in range(self.ahead):
            values = numpy.append(values, model.predict([self.features(values, len(values))])[0])
        step = table[time].diff().median()
        times = [table[time].iloc[-1] + step * (at + 1) for at in range(self.ahead)]
        # An error grows with every step that builds on the one before, but not without end.
        width = 1.96 * error * numpy.sqrt(numpy.minimum(numpy.arange(1, self.ahead + 1), self.memory))
        next_values = values[len(table) :]
        forecast = pandas.DataFrame(
            {time: times, column: next_values, "low": next_values - width, "high": next_values + width}
        )
        self.show(self.draw(table, forecast, time, column))
        self.forecast.send(forecast)

    def features(self, values, at):
        turn = 2 * numpy.pi * at / self.period
        return [*values[at - self.memory : at], at, numpy.sin(turn), numpy.cos(turn)]

    def draw(self, table, forecast, time, column):
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        axes = figure.subplots()
        past = table.tail(max(4 * self.ahead, 60))
        axes.plot(past[time], past[column], linewidth=1, label="known")
        axes.plot(forecast[time], forecast[column], linewidth=1.6, label="forecast")
        axes.fill_between(forecast[time], forecast["low"], forecast["high"], alpha=0.2, color="tab:orange")
        axes.set_ylabel(column)
        axes.legend(loc="upper left")
        figure.autofmt_xdate()
        return figure


def time_column(table, named):
    dates = list(table.select_dtypes("datetime").columns)
    if not named and not dates:
        raise ValueError("The table has no column of dates. Name the column.")
    return named or dates[0]
