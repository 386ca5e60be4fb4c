import html

from miranda import Field, Json, Node, Receiver, Text, Transmitter

COLOURS = ["#4f7cff", "#f5a623", "#30a46c", "#e5484d", "#8e4ec6", "#0ea5b7"]
WIDTH, HEIGHT, EDGE = 480, 240, 36


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
        to_x = scale(xs, EDGE, WIDTH - 8)
        to_y = scale(everything, HEIGHT - 20, 8)
        parts = []
        for at, (name, line) in enumerate(lines.items()):
            colour = COLOURS[at % len(COLOURS)]
            points = " ".join(f"{to_x(x):.1f},{to_y(y):.1f}" for x, y in zip(xs, line))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(f'<text x="{EDGE + 8}" y="{20 + 14 * at}" fill="{colour}">{html.escape(str(name))}</text>')
        for value in (min(everything, default=0), max(everything, default=0)):
            parts.append(f'<text x="{EDGE - 4}" y="{to_y(value) + 4:.1f}" text-anchor="end">{value:.4g}</text>')
        for value, anchor in ((min(xs, default=0), "start"), (max(xs, default=0), "end")):
            parts.append(f'<text x="{to_x(value):.1f}" y="{HEIGHT - 4}" text-anchor="{anchor}">{value:.4g}</text>')
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="sans-serif" font-size="11" fill="#888">{"".join(parts)}</svg>'
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
