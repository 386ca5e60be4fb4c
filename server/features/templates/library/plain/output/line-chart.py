import html

from miranda import Field, Json, Node, Receiver, Text, Transmitter

COLOURS = ["#0e8a8a", "#f5762e", "#30a46c", "#e5484d", "#8e4ec6", "#0ea5b7"]
WIDTH, HEIGHT, EDGE = 480, 240, 44


class LineChart(Node):
    """Draws one or more columns as lines over another column."""

    rows = Receiver("table")
    x = Field("x", control=Text())
    y = Field(["y"], control=Json())
    svg = Transmitter("string")

    def run(self):
        rows = sorted(self.rows, key=lambda row: float(row[self.x]))
        xs = [float(row[self.x]) for row in rows]
        lines = {name: [float(row[name]) for row in rows] for name in self.y}
        everything = [value for line in lines.values() for value in line]
        to_x = scale(xs, EDGE, WIDTH - 12)
        to_y = scale(everything, HEIGHT - 24, 30)
        low, high = min(everything, default=0), max(everything, default=0)
        parts = []
        for value in dict.fromkeys((low, low + (high - low) / 2, high)):
            y = to_y(value)
            parts.append(f'<path d="M{EDGE} {y:.1f}H{WIDTH - 12}" stroke="#888" stroke-opacity="0.3"/>')
            parts.append(f'<text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
        legend = EDGE
        for at, (name, line) in enumerate(lines.items()):
            colour, words = COLOURS[at % len(COLOURS)], str(name)[:40]
            points = " ".join(f"{to_x(x):.1f},{to_y(y):.1f}" for x, y in zip(xs, line))
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>'
                f'<circle cx="{legend + 4}" cy="12" r="4" fill="{colour}"/>'
                f'<text x="{legend + 13}" y="16">{html.escape(words)}</text>'
            )
            legend += 32 + 7 * len(words)
        for value, anchor in ((min(xs, default=0), "start"), (max(xs, default=0), "end")):
            parts.append(f'<text x="{to_x(value):.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}">{value:.4g}</text>')
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="sans-serif" font-size="12" fill="#888">{"".join(parts)}</svg>'
        )
        self.show(Svg(svg))
        self.svg.send(svg)


def scale(values, first, last):
    low, high = min(values, default=0), max(values, default=1)
    return lambda value: first + (last - first) * ((value - low) / (high - low) if high > low else 0.5)


class Svg:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return "a line chart"

    def _repr_svg_(self):
        return self.text
