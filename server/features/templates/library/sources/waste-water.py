# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import numpy
import pandas

from miranda import Field, Node, Slider, Transmitter


class WasteWater(Node):
    """Makes up the hourly measurements of a waste water plant, with rain, daily and weekly rhythms, and some faults."""

    days = Field(60, control=Slider(7, 365))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        chance = numpy.random.default_rng(self.seed)
        hours = numpy.arange(self.days * 24)
        time = pandas.date_range("2025-03-01", periods=len(hours), freq="h")
        rain = numpy.where(chance.random(len(hours)) < 0.06, chance.gamma(1.5, 2.0, len(hours)), 0.0)
        rain = numpy.convolve(rain, [0.5, 0.3, 0.15, 0.05])[: len(hours)]
        day = 1 + 0.35 * numpy.sin((hours % 24 - 9) / 24 * 2 * numpy.pi)
        week = numpy.where(time.dayofweek >= 5, 0.85, 1.0)
        inflow = 420 * day * week + 85 * rain + chance.normal(0, 18, len(hours))
        temperature = 11 + 5 * numpy.sin((hours / 24 - 60) / 365 * 2 * numpy.pi) + chance.normal(0, 0.4, len(hours))
        ammonium = 28 * day / (1 + 0.12 * rain) + chance.normal(0, 1.2, len(hours))
        oxygen = 2.4 - 0.02 * (ammonium - 28) + chance.normal(0, 0.12, len(hours))
        faulty = chance.choice(len(hours), max(1, len(hours) // 150), replace=False)
        oxygen[faulty] = chance.uniform(0.1, 0.6, len(faulty))
        energy = 60 + 0.11 * inflow + 2.6 * ammonium - 1.5 * temperature + chance.normal(0, 5, len(hours))
        table = pandas.DataFrame(
            {
                "time": time,
                "rain_mm": rain.round(2),
                "inflow_m3": inflow.round(1),
                "temperature_c": temperature.round(1),
                "ammonium_mg": ammonium.round(1),
                "oxygen_mg": oxygen.round(2),
                "energy_kwh": energy.round(1),
            }
        )
        self.log.info("%d hours", len(table))
        self.table.send(table)
