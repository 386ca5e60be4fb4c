import math
import random

from miranda import Field, Node, Slider, Transmitter


class BasinReadings(Node):
    """Makes up hourly readings of a storm basin, with the level six hours later: weeks to learn from, days to test."""

    weeks = Field(6, control=Slider(1, 26))
    test_days = Field(5, control=Slider(1, 14))
    seed = Field(3)
    past = Transmitter("table")
    recent = Transmitter("table")

    def run(self):
        chance = random.Random(self.seed)
        test_hours = self.test_days * 24
        hours = self.weeks * 168 + test_hours
        rain, inflow, level = self.measure(chance, hours + 6)
        rows = [
            {
                "hour": hour,
                "rain_mm": round(rain[hour], 1),
                "rain_6h_mm": round(sum(rain[max(0, hour - 5) : hour + 1]), 1),
                "inflow_m3": round(inflow[hour]),
                "level_cm": round(level[hour]),
                "rising_cm": round(level[hour] - level[max(0, hour - 1)], 1),
                "level_in_6h": round(level[hour + 6]),
            }
            for hour in range(hours)
        ]
        self.log.info("%d hours to learn from, %d to test with", hours - test_hours, test_hours)
        self.past.send(rows[:-test_hours])
        self.recent.send(rows[-test_hours:])

    def measure(self, chance, hours):
        """A shower falls for some hours, runs off slowly, and fills the basin, which drains all the time."""
        rain, inflow, level = [], [], []
        falling, runoff, height = 0.0, 0.0, 60.0
        for hour in range(hours):
            if chance.random() < 0.035:
                falling = chance.uniform(3, 11)
            falling *= 0.78
            rain.append(falling if falling > 0.3 else 0.0)
            runoff = 0.86 * runoff + rain[-1]
            day = 1 + 0.3 * math.sin((hour % 24 - 8) / 24 * 2 * math.pi)
            inflow.append(300 * day + 26 * runoff + chance.gauss(0, 9))
            height += 0.035 * (inflow[-1] - 240) - 0.055 * height
            level.append(max(0.0, height + chance.gauss(0, 1.2)))
        return rain, inflow, level
