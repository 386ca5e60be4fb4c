import html

from miranda import Field, Node, Receiver, Slider, Text, Transmitter


class BarChart(Node):
    """Draws one bar per row."""

    rows = Receiver("table")
    label = Field("name", control=Text())
    value = Field("value", control=Text())
    most = Field(20, control=Slider(1, 100))
    svg = Transmitter("string")

    def run(self):
        rows = self.rows[: self.most]
        largest = max((abs(float(row[self.value])) for row in rows), default=0) or 1
        parts = []
        for at, row in enumerate(rows):
            value = float(row[self.value])
            length = 300 * abs(value) / largest
            y = 24 * at
            name = html.escape(str(row.get(self.label, "")))
            colour = "#4f7cff" if value >= 0 else "#e5484d"
            parts.append(
                f'<text x="110" y="{y + 16}" text-anchor="end">{name[:18]}</text>'
                f'<rect x="120" y="{y + 3}" width="{length:.1f}" height="18" rx="3" fill="{colour}"/>'
                f'<text x="{125 + length:.1f}" y="{y + 16}">{value:g}</text>'
            )
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 {24 * max(1, len(rows))}" '
            f'font-family="sans-serif" font-size="12" fill="#888">{"".join(parts)}</svg>'
        )
        self.show(Svg(svg))
        self.svg.send(svg)


class Svg:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return "a bar chart"

    def _repr_svg_(self):
        return self.text
