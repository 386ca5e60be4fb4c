import random

from miranda import Field, Node, Number, Select, Slider, Transmitter


class RandomNumbers(Node):
    """Makes a table of random numbers, the same ones for the same seed."""

    count = Field(100, control=Slider(1, 10000))
    shape = Field("even", control=Select("even", "normal", "whole"))
    low = Field(0.0, control=Number(), shown_when={"shape": [{"value": "even"}, {"value": "whole"}]})
    high = Field(1.0, control=Number(), shown_when={"shape": [{"value": "even"}, {"value": "whole"}]})
    mean = Field(0.0, control=Number(), shown_when={"shape": [{"value": "normal"}]})
    deviation = Field(1.0, control=Number(min=0), shown_when={"shape": [{"value": "normal"}]})
    seed = Field(42)
    rows = Transmitter("table")

    def run(self):
        chance = random.Random(self.seed)
        draw = {
            "even": lambda: chance.uniform(self.low, self.high),
            "normal": lambda: chance.gauss(self.mean, self.deviation),
            "whole": lambda: chance.randint(round(self.low), round(self.high)),
        }[self.shape]
        self.rows.send([{"x": at, "value": draw()} for at in range(self.count)])
