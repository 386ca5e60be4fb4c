from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class Histogram(Node):
    """Counts how the numbers of a column are spread, for a bar chart."""

    rows = Receiver("table")
    column = Field("value", control=Text())
    bins = Field(10, control=Slider(2, 50))
    counts = Transmitter("table")

    def run(self):
        values = [float(row[self.column]) for row in self.rows]
        low, high = min(values, default=0.0), max(values, default=1.0)
        width = (high - low) / self.bins or 1.0
        counts = [0] * self.bins
        for value in values:
            counts[min(self.bins - 1, int((value - low) / width))] += 1
        self.counts.send([{"name": f"{low + at * width:.3g}", "value": count} for at, count in enumerate(counts)])
