# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import numpy
import pandas

from miranda import Field, Node, Slider, Transmitter


class BikeRentals(Node):
    """Makes up the daily rentals of a bicycle shop over some years, with weather, seasons and weekends."""

    years = Field(2, control=Slider(1, 6))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        chance = numpy.random.default_rng(self.seed)
        date = pandas.date_range("2023-01-01", periods=365 * self.years, freq="D")
        day = numpy.arange(len(date))
        temperature = 10.5 - 9.5 * numpy.cos(day / 365.25 * 2 * numpy.pi) + chance.normal(0, 2.8, len(date))
        rain = chance.random(len(date)) < 0.3
        weekend = date.dayofweek >= 5
        rentals = 60 + 0.06 * day + 7 * temperature.clip(0, None) - 45 * rain + 38 * weekend
        rentals = (rentals + chance.normal(0, 14, len(date))).clip(0, None)
        self.table.send(
            pandas.DataFrame(
                {
                    "date": date,
                    "temperature_c": temperature.round(1),
                    "rain": rain,
                    "weekend": weekend,
                    "rentals": rentals.round().astype(int),
                }
            )
        )
