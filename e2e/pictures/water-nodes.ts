// The workflow on the pictures of the README. It needs no packages, so that everybody can make the pictures.

export const measure = `from miranda import Field, Node, Slider, Transmitter


class Measure(Node):
    """Reads the sensors of the basin."""

    days = Field(14, control=Slider(1, 60))
    rows = Transmitter("table")

    def run(self):
        import math
        import random
        import time

        chance = random.Random(4)
        rows = [
            {
                "hour": hour,
                "level": round(3 + math.sin(hour / 3.8) + hour / 300 + chance.gauss(0, 0.12), 2),
                "flow": round(40 + 9 * math.cos(hour / 5) + chance.gauss(0, 2), 1),
            }
            for hour in range(self.days * 24)
        ]
        time.sleep(0.4)
        self.show(rows)
        self.rows.send(rows)
`;

export const weather = `from miranda import Field, Node, Select, Transmitter


class Weather(Node):
    """Asks for the rain of the last days."""

    station = Field("North", control=Select("North", "South"))
    rain = Transmitter("list")

    def run(self):
        import random
        import time

        time.sleep(0.9)
        self.rain.send([random.Random(hour).random() for hour in range(336)])
`;

export const clean = `from miranda import Field, Node, Receiver, Toggle, Transmitter


class Clean(Node):
    """Removes what the sensors cannot have measured."""

    rows = Receiver("table")
    rain = Receiver("list")
    strict = Field(True, control=Toggle())
    highest = Field(5.0)
    good = Transmitter("table")

    def run(self):
        import time

        time.sleep(0.2)
        good = [row for row in self.rows if 0 < row["level"] < self.highest]
        self.log.info("%d of %d rows are good", len(good), len(self.rows))
        self.good.send(good)
`;

export const train = `from miranda import Field, Node, Receiver, Select, Slider, Transmitter, log_metric, log_model, progress


class Train(Node):
    """Learns how the level follows the hours before."""

    rows = Receiver("table")
    epochs = Field(60, control=Slider(10, 200))
    method = Field("gradient", control=Select("gradient", "momentum"))
    model = Transmitter("model")

    def run(self):
        import time

        levels = [row["level"] for row in self.rows]
        weight, bias, rate = 0.0, 0.0, 0.03
        loss, count = 0.0, len(levels) - 1
        for epoch in range(self.epochs):
            slope = shift = loss = 0.0
            for before, now in zip(levels, levels[1:]):
                error = weight * before + bias - now
                loss += error * error
                slope += error * before
                shift += error
            weight -= rate * slope / count
            bias -= rate * shift / count
            log_metric("loss", loss / count)
            log_metric("weight", weight)
            progress(epoch + 1, self.epochs, "epochs")
            time.sleep(0.01)
        accuracy = 1 - min(1.0, loss / count)
        log_model("water level", metrics={"loss": loss / count, "accuracy": accuracy})
        self.model.send({"weight": weight, "bias": bias})
`;

export const forecast = `from miranda import Field, Node, Receiver, Transmitter


class Forecast(Node):
    """Looks ahead, hour by hour."""

    model = Receiver("model")
    rows = Receiver("table")
    hours = Field(48)
    levels = Transmitter("list")

    def run(self):
        import math
        import time

        level = self.rows[-1]["level"]
        levels = []
        for _ in range(self.hours):
            level = self.model["weight"] * level + self.model["bias"]
            levels.append(round(level + math.sin((len(self.rows) + len(levels)) / 3.8) / 2, 3))
        time.sleep(0.15)
        self.levels.send(levels)
`;

export const chart = `from miranda import Field, Node, Receiver


class Lines:
    def __init__(self, past, ahead):
        self.past, self.ahead = past, ahead

    def _repr_svg_(self):
        every = self.past + self.ahead
        low, high, wide = min(every), max(every), 460 / len(every)

        def points(values, start):
            return " ".join(
                f"{10 + (start + at) * wide:.1f},{170 - 150 * (value - low) / (high - low):.1f}"
                for at, value in enumerate(values)
            )

        edge = 10 + len(self.past) * wide
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 190" width="600" font-family="sans-serif" font-size="11">'
            f'<rect x="{edge:.0f}" y="10" width="{470 - edge:.0f}" height="165" fill="#0ea5b7" opacity="0.12"/>'
            f'<polyline points="{points(self.past, 0)}" fill="none" stroke="#0e7490" stroke-width="1.6"/>'
            f'<polyline points="{points(self.ahead, len(self.past))}" fill="none" stroke="#e5484d" stroke-width="2.4"/>'
            f'<text x="14" y="24" fill="#0e7490">measured</text>'
            f'<text x="{edge + 6:.0f}" y="24" fill="#e5484d">forecast</text></svg>'
        )


class Chart(Node):
    """Draws what was measured and what comes."""

    rows = Receiver("table")
    levels = Receiver("list")
    title = Field("Level of the basin")

    def run(self):
        import time

        time.sleep(0.25)
        self.show(Lines([row["level"] for row in self.rows[-144:]], self.levels))
`;

export const warn = `from miranda import Field, Node, Number, Receiver


class Warn(Node):
    """Says when the basin runs over."""

    levels = Receiver("list")
    limit = Field(4.4, control=Number(min=0, max=10))

    def run(self):
        import time

        time.sleep(0.35)
        over = [at for at, level in enumerate(self.levels) if level > self.limit]
        if over:
            self.log.warning("over %.1f m in %d hours", self.limit, over[0])
        self.show([{"limit": self.limit, "hours above": len(over), "highest": max(self.levels)}])
`;
