# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import numpy
import pandas

from miranda import Field, Node, Slider, Transmitter


class HousePrices(Node):
    """Makes up houses with their size, age, district and price."""

    houses = Field(800, control=Slider(50, 20000))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        chance = numpy.random.default_rng(self.seed)
        size = self.houses
        area = chance.gamma(9, 13, size).clip(28, 420)
        rooms = (area / 28 + chance.normal(0, 0.7, size)).round().clip(1, 12)
        age = chance.integers(0, 110, size)
        distance = chance.gamma(2, 3, size)
        district = chance.choice(["north", "south", "east", "west", "old town"], size)
        bonus = {"north": 0.95, "south": 1.12, "east": 0.9, "west": 1.0, "old town": 1.25}
        price = (2900 * area + 9000 * rooms - 700 * age - 6500 * distance) * [bonus[name] for name in district]
        price = (price * chance.normal(1, 0.08, size)).clip(40000, None)
        self.table.send(
            pandas.DataFrame(
                {
                    "area_m2": area.round(),
                    "rooms": rooms.astype(int),
                    "age_years": age,
                    "centre_km": distance.round(1),
                    "district": district,
                    "garden": chance.random(size) < 0.4,
                    "price": price.round(-2),
                }
            )
        )
